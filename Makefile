# Two commands matter: `make study` and `make test`. Both start from Python 3.11+, a C++ compiler and pip.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
MAKEFLAGS += --jobs=2  # the plain C++ tests are built while packages are fetched
TWO := -n 2 --dist worksteal  # a process that has run out of tests takes half of those the other has left
unexport PYTHONDONTWRITEBYTECODE  # without compiled modules every process that a test starts would compile them again

.PHONY: compat study test test-all checks slow fuzz api dev build-times native-test docs sanitize

# What the installed extension is made of: a change rebuilds it.
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -name '*.hpp' -o -name '*.cpp')

study: $(VENV)/.installed
	$(BIN)/learnable study

# What every change must pass: at most 25 minutes on two processors.
test: checks
	$(BIN)/python -m pytest $(TWO)

# The same with what takes longer: every class keeps every promise by itself (tests/contract/representatives.toml), the
# simulations, half a million damaged model files and a hundred thousand models whose learned state was changed.
test-all: checks
	LEARNABLE_FUZZ=5 HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest $(TWO) -m ""

checks: $(VENV)/.installed-dev native-test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

# Simulations that take minutes: how often intervals cover, how often a comparison of equals finds a difference.
slow: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(TWO) -m slow tests

# scikit-learn's own tests with our names in place of its own, compared with tests/compatibility.toml: half an hour.
# FAMILIES="svm tree" runs some families.
compat: $(VENV)/.installed-dev
	$(BIN)/python -m tests.compatibility $(FAMILIES)

# Two million damaged model files, or TIMES hundred thousand, and for each class TIMES hundred models whose learned state
# was changed: only ModelFileError, no crash, bounded memory. Another SEED, others.
fuzz: $(VENV)/.installed-dev
	LEARNABLE_FUZZ=$(or $(TIMES),20) LEARNABLE_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest $(TWO) tests/core/test_fuzz_files.py tests/fuzz

# What the schema of the service says, tried by schemathesis on a running one.
api: $(VENV)/.installed-dev
	$(BIN)/python -m pip install --quiet 'schemathesis>=4'
	$(BIN)/python -m tests.app.service.schema

# For those who only want to use it: the kernels are built for this machine's processor alone.
$(VENV)/.installed: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --config-settings=cmake.define.LEARNABLE_LEVELS=host -e .[app]
	touch $@

# For tests: every level that can be tried here.
$(VENV)/.installed-dev: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --config-settings=cmake.define.LEARNABLE_LEVELS=runnable -e .[dev]
	touch $@ $(VENV)/.installed

# The documentation, gallery included; warnings are errors, and nothing is fetched while it is built or read.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going --color -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

$(VENV)/.installed-docs: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --config-settings=cmake.define.LEARNABLE_LEVELS=all -e .[docs]
	touch $@ $(VENV)/.installed

# Editable install for people who work on the code: one level only, in an environment that has the build tools, as `[dev]`.
# Headers are not precompiled, which ccache would not see through.
LEVEL ?= $(if $(filter x86_64,$(shell uname -m)),v3,base)

dev:
	CMAKE_CXX_COMPILER_LAUNCHER=$(shell command -v ccache) $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps \
	  --config-settings=build-dir=build/dev --config-settings=cmake.define.LEARNABLE_LEVELS=$(LEVEL) \
	  --config-settings=cmake.define.LEARNABLE_STRICT=ON \
	  --config-settings=cmake.define.CMAKE_DISABLE_PRECOMPILE_HEADERS=ON -e .

# Builds all levels from nothing and lists the processor seconds that units took, the longest first.
build-times:
	rm -rf build/times
	CMAKE_CXX_COMPILER_LAUNCHER="$(abspath $(BIN)/python);$(abspath native/timed.py)" $(BIN)/python -m pip wheel --quiet \
	  --no-build-isolation --no-deps --config-settings=build-dir=build/times --wheel-dir=build/times/wheel .
	sort -rn build/times/seconds.txt | head -30
	awk '{ sum += $$1 } END { print sum " seconds in all" }' build/times/seconds.txt

# Plain C++ tests of the headers, for this processor. They need a compiler and nothing else.
NATIVE_FLAGS := -std=gnu++20 -fno-math-errno -fno-trapping-math -ffp-contract=off -fopenmp-simd -Wall -Wextra -Wno-psabi \
  -Inative/include -pthread
NATIVE_TESTS := $(wildcard native/src/*.cpp native/tests/*.cpp)
NATIVE_HEADERS := $(shell find native/include native/tests -name "*.hpp")
SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

native-test: build/plain/tests
	build/plain/tests

build/plain/tests: $(NATIVE_TESTS:%.cpp=build/plain/%.o)
	$(CXX) -pthread $^ -o $@

build/plain/%.o: %.cpp $(NATIVE_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(NATIVE_FLAGS) -O2 -march=native -c $< -o $@

# The same tests at the baseline, and every Python test, under AddressSanitizer and UBSan. PYTESTS narrows the latter.
PYTESTS ?= tests
ASAN := $(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libubsan.so)

sanitize: build/sanitize/tests build/sanitize/venv/.installed
	ASAN_OPTIONS=detect_leaks=1 build/sanitize/tests
	LD_PRELOAD="$(ASAN)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 PYTHONMALLOC=malloc \
	  build/sanitize/venv/bin/python -m pytest $(TWO) -p no:cacheprovider $(PYTESTS)

build/sanitize/tests: $(NATIVE_TESTS:%.cpp=build/sanitize/%.o)
	$(CXX) -pthread $(SANITIZERS) $^ -o $@

build/sanitize/%.o: %.cpp $(NATIVE_HEADERS)
	@mkdir -p $(@D)
	$(CXX) $(NATIVE_FLAGS) -O1 -g $(SANITIZERS) -c $< -o $@

# An environment of its own, so that the instrumented module never meets an ordinary one. SANITIZE_PIP lets an offline
# machine say where its packages are.
build/sanitize/venv/.installed: $(SOURCES)
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet $(SANITIZE_PIP) --config-settings=build-dir=build/sanitize/module \
	  --config-settings=cmake.define.LEARNABLE_LEVELS=base --config-settings=cmake.define.LEARNABLE_SANITIZE=address,undefined \
	  --config-settings=install.strip=false --config-settings=cmake.build-type=RelWithDebInfo .[dev]
	touch $@
