# What people and CI run. `make demo` and `make test` need python3 >= 3.11 and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PROCESSES ?= 3

.PHONY: env demo test test-long compiled test-compiled check format proto screenshots clean

env: $(STAMP)

$(STAMP): requirements.lock pyproject.toml $(wildcard tests/games/*/pyproject.toml)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . $(addprefix -e ,$(wildcard tests/games/*))
	touch $(STAMP)

demo: env
	$(BIN)/arena demo

# Files go to so many PROCESSES whole: what a file shares (an arena, a database server) is made once. In the order of their
# names, tests/e2e comes early; files of few long tests would otherwise come last, with the others left to wait.
test: env
	@scripts/chromium.sh
	$(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder --durations=25

test-long: env
	$(BIN)/python -m pytest -m long

# The rules built by mypyc, beside the plain ones and under the same tests; needs a C compiler.
compiled: env
	$(BIN)/python scripts/compiled.py

test-compiled: compiled
	PYTHONPATH=$(CURDIR)/build/compiled $(BIN)/pytest tests/conformance tests/unit/games tests/unit/core

check: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python scripts/proto.py --check
	$(BIN)/lint-imports
	$(BIN)/mypy

format: env
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Regenerates the committed stubs after a change under proto/.
proto: env
	$(BIN)/python scripts/proto.py

# The pictures of the web page in README and docs, in a browser.
screenshots: env
	@scripts/chromium.sh
	$(BIN)/python scripts/screenshots.py

# Rewrites requirements.lock from pyproject.toml; needs uv on PATH.
lock:
	uv pip compile --universal --quiet --no-header --extra dev --extra postgres pyproject.toml scripts/build-requirements.in -o requirements.lock

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache
