import numpy as np
import pytest
from sklearn import metrics

from learnable.core import ParameterError
from learnable.engines.scorers import scorer

PEERS = {
    "neg_mean_squared_error": metrics.mean_squared_error,
    "neg_root_mean_squared_error": metrics.root_mean_squared_error,
    "neg_mean_absolute_error": metrics.mean_absolute_error,
    "neg_median_absolute_error": metrics.median_absolute_error,
    "r2": lambda *given, **more: -metrics.r2_score(*given, **more),
}


@pytest.mark.parametrize("name", PEERS)
def test_named_scores_equal_those_of_scikit_learn(name):
    rng = np.random.default_rng(0)
    truth, prediction, weight = rng.normal(size=(2, 31)), rng.normal(size=(2, 31)), rng.uniform(0.5, 2, 31)
    ours = scorer(name)(truth[0], prediction[0], weight)
    assert ours == pytest.approx(-PEERS[name](truth[0], prediction[0], sample_weight=weight))


def test_the_median_of_the_absolute_errors():
    """The median absolute error has no square in it (E-037)."""
    truth, prediction = np.array([1.0, 2.0, 9.0]), np.array([1.5, 4.0, 2.0])
    assert scorer("neg_median_absolute_error")(truth, prediction, np.ones(3)) == -2.0


def test_a_weight_is_a_number_of_copies():
    truth, prediction, copies = np.array([1.0, 2.0, 9.0]), np.array([1.5, 4.0, 2.0]), np.array([3, 1, 1])
    for name in PEERS:
        repeated = scorer(name)(truth.repeat(copies), prediction.repeat(copies), np.ones(5))
        assert scorer(name)(truth, prediction, copies.astype(float)) == pytest.approx(repeated)


def test_unknown_names_are_refused_with_the_known_ones():
    with pytest.raises(ParameterError, match="neg_mean_squared_error"):
        scorer("accuracy")
