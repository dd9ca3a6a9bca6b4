"""Let a broken promise show the values that it compared."""

import pytest

pytest.register_assert_rewrite("tests.contract.promises", "tests.contract.cases")
