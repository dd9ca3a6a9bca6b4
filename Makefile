# Two commands matter: `make study` and `make test`. Both start from Python 3.11+, a C++ compiler and pip.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: study test dev docs sanitize lint bench clean

# What the installed extension is made of: a change rebuilds it.
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -name '*.hpp' -o -name '*.cpp')

study: $(VENV)/.installed
	$(BIN)/learnable study

test: $(VENV)/.installed-dev native-test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -m pytest -n 2

$(VENV)/.installed: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e .[app]
	touch $@

$(VENV)/.installed-dev: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -e .[dev]
	touch $@ $(VENV)/.installed

# Editable install for people who work on the code, inside an environment that has the build tools.
dev:
	CMAKE_CXX_COMPILER_LAUNCHER=$(shell command -v ccache) $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps \
	  -Cbuild-dir=build/dev -Ccmake.define.LEARNABLE_LEVELS=v3 -e .
