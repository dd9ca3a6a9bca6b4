"""Settings of the whole suite."""

import os

import pytest
from hypothesis import settings

# A broken promise shows the values that it compared. Other folders import the cases too, so it stands here.
pytest.register_assert_rewrite("tests.contract.promises", "tests.contract.cases")

# Two workers share the processors: threads of BLAS in each of them would only wait for one another. NumPy reads it when
# it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Speed is measured in benchmarks: an example that is slow on a busy machine is not a failure. The suite draws the same
# examples everywhere, so that it says the same of the same code, and `make test-all` draws more of them;
# `HYPOTHESIS_PROFILE=search` looks for new ones.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("thorough", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
