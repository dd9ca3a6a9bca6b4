"""Linear support vector machines on LIBSVM's census data: what liblinear reaches, and the accuracy it is known for."""

import numpy as np
import pytest

from learnable.svm import LinearSVC
from tests import references

KNOWN = {  # least objectives with C = 1, and accuracies on the test rows, by loss and number of training rows
    ("hinge", 3000): (1026.24322, 0.83900),
    ("squared_hinge", 3000): (1207.144652, 0.83633),
    ("hinge", 32561): (11433.7002, 0.84976),
    ("squared_hinge", 32561): (13742.37331, 0.84940),
}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_census_is_learned_as_well_as_by_liblinear(loss):
    X, y, X_test, y_test = references.census()
    model = LinearSVC(loss=loss).fit(X, y)
    w, b = model.coef_[0], float(model.intercept_[0])
    short_of = np.maximum(1 - y * (X @ w + b), 0.0)
    objective = (w @ w + b * b) / 2 + (short_of if loss == "hinge" else short_of**2).sum()
    least, accuracy = KNOWN[loss, len(y)]
    assert objective == pytest.approx(least, rel=1e-6)
    assert model.score(X_test, y_test) == pytest.approx(accuracy, abs=4e-4)
