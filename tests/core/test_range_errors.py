"""Numbers out of range: a failing fit names the column, the target or the weights, and what to do."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import learnable
from learnable.core import Array, Data, DataError, ParameterError, Trace, estimator
from tests.toys import ToyRidge

X = np.random.default_rng(0).standard_normal((20, 3))
Y = X[:, 0] + 1.0


@estimator
class Squaring(ToyRidge):
    """Squares whatever comes, in NumPy's way and in Python's."""

    def _fit(self, data: Data, trace: Trace) -> None:
        _ = np.abs(data.X).max(axis=0) ** 2
        _ = float(np.abs(data.y).max()) ** 2
        _ = 1.0 if data.weight is None else float(data.weight.sum()) ** 2
        super()._fit(data, trace)


@estimator
class Hopeless(ToyRidge):
    """Fails on ordinary data too."""

    def _fit(self, data: Data, trace: Trace) -> None:
        np.float64(1e200) * np.full(1, 1e200)
        super()._fit(data, trace)


@estimator
class Quiet(ToyRidge):
    """Learns NaN without a warning."""

    def _fit(self, data: Data, trace: Trace) -> None:
        super()._fit(data, trace)
        self.coef_ = np.full(data.p, np.nan)


def stretched(column: int, size: float) -> Array:
    return X * np.where(np.arange(3) == column, size, 1.0)


def test_the_column_is_named_with_a_unit_that_would_do():
    frame = pd.DataFrame(stretched(1, 1e200), columns=["age", "debt", "size"])
    with pytest.raises(DataError, match=r"^Squaring: the largest value of column 'debt' is .*divide it by 1e\+200$"):
        Squaring().fit(frame, Y)
    with pytest.raises(DataError, match="column 2"):
        Squaring().fit(stretched(2, 1e170), Y)


def test_the_target_and_the_weights_are_named():
    with pytest.raises(DataError, match=r"the target y is .*divide it by 1e\+250"):
        Squaring().fit(X, Y / np.abs(Y).max() * 2e250)
    with pytest.raises(DataError, match="largest value of sample_weight is 1e"):
        Squaring().fit(X, Y, np.full(20, 1e200))


def test_learned_state_is_checked_where_there_is_no_warning():
    with pytest.raises(DataError, match="Quiet: the largest value of the target y"):
        Quiet().fit(X, Y * 1e-200)
    assert np.isnan(Quiet().fit(X, Y).coef_).all(), "ordinary data do not explain it"


def test_a_failure_on_ordinary_data_stays_what_it_was():
    with pytest.warns(RuntimeWarning, match="overflow encountered in Hopeless"):
        Hopeless().fit(X, Y)


def test_sparse_columns_are_named_too():
    from scipy.sparse import csr_array

    with pytest.raises(DataError, match=r"the largest value of column \d is .*e-250 in size"):
        learnable.PoissonRegressor().fit(csr_array(X * 1e-250), np.exp(Y))


def test_floating_point_settings_are_left_alone():
    before = np.geterr(), np.geterrcall()
    Squaring().fit(X, Y)
    assert (np.geterr(), np.geterrcall()) == before


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e170, 1e300])
def test_scores_of_any_size_are_those_of_size_one(size):
    model = ToyRidge().fit(X, Y * size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(X, Y * size) == pytest.approx(ToyRidge().fit(X, Y).score(X, Y), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("Ridge", "alpha", np.inf),
        ("HuberRegressor", "epsilon", 1e300),
        ("StudentTRegressor", "scale", 1e300),
        ("BayesianRidge", "lambda_1", np.inf),
        ("LogCoshRegressor", "scale", np.inf),
        ("Lars", "jitter", np.inf),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_parameter_that_is_too_large_is_named(name, parameter, value):
    with pytest.raises(ParameterError, match=f"{name}: .*{parameter}"):
        getattr(learnable, name)(**{parameter: value}).fit(X, Y)


@pytest.mark.parametrize("options", [{"alpha": 10**400}, {"max_iter": 10**400}, {"random_state": 10**400}])
def test_a_number_beyond_the_range_of_floats_is_refused(options):
    (name,) = options
    with pytest.raises(ParameterError, match=f"Ridge: {name} must be within the range of floating-point numbers"):
        learnable.Ridge(**options).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("RandomForestRegressor", "n_estimators"), ("RandomForestRegressor", "max_samples"), ("KMeans", "max_iter"),
     ("HistogramDensity", "bins"), ("Lars", "n_nonzero_coefs"), ("RandomForestRegressor", "n_jobs")],
)  # fmt: skip
@pytest.mark.parametrize("value", [2**63, 2**70, -(2**70)])
def test_a_whole_number_beyond_what_machines_count_to_is_refused(name, parameter, value):
    with pytest.raises(ParameterError, match=rf"{name}: {parameter} must be .*at most {2**63 - 1}; got {value}"):
        getattr(learnable, name)(**{parameter: value}).fit(X, Y)


@pytest.mark.parametrize("value", [2**40, 2**62, 2**63 - 1])
@pytest.mark.parametrize(("name", "parameter"), [("KMeans", "trials"), ("PrincipalCurve", "n_knots")])
def test_a_count_that_there_is_no_room_for_is_named(name, parameter, value):
    with pytest.raises(
        ParameterError, match=f"^{name}: {parameter}={value} needs more memory than is available; use a smaller"
    ):
        getattr(learnable, name)(**{parameter: value}).fit(X)


@pytest.mark.parametrize("value", [2**40, 2**62, 2**63 - 1])
def test_a_count_of_a_function_or_a_sample_that_there_is_no_room_for_is_named(value):
    with pytest.raises(
        ParameterError, match=f"^make_moons: n_samples={value} needs more memory than is available; use a smaller"
    ):
        learnable.make_moons(value)
    with pytest.raises(
        ParameterError, match=rf"^GaussianDensity: n_samples of sample must be at most \d+.*; got {value}"
    ):
        learnable.GaussianDensity().fit(X).sample(value)


def test_an_error_that_no_count_explains_stays_what_it_was():
    def broken(X: Array, n_clusters: int, random_state: object) -> Array:
        raise ValueError("broken")

    with pytest.raises(ValueError, match=r"^broken$"):
        learnable.KMeans(2, init=broken).fit(X)


def test_numbers_that_count_nothing_may_be_large_whole_ones():
    assert np.isfinite(learnable.Ridge(alpha=2**70, random_state=2**70).fit(X, Y).coef_).all()


def test_a_seed_is_never_negative():
    with pytest.raises(ParameterError, match="Ridge: random_state must be at least 0; got -1"):
        learnable.Ridge(random_state=-1).fit(X, Y)


FAR = np.array([[1.0, 2.0, 3.0], [1e308, -1e308, 1.0]])


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (learnable.FactorizationMachineRegressor(), "predict"),
        (learnable.FactorizationMachineClassifier(), "predict_proba"),
        (learnable.FactorizationMachineClassifier(), "predict"),
        (learnable.KernelRidge(kernel="poly"), "predict"),
        (learnable.KernelLogisticRegression(kernel="poly"), "predict_proba"),
        (learnable.SVC(kernel="poly"), "decision_function"),
        (learnable.SVC(kernel="poly"), "predict"),
    ],
)
def test_a_non_finite_prediction_names_the_value_that_caused_it(model, method):
    target = Y if model.traits.task == "regression" else (Y > 1).astype(int)
    fitted = model.fit(pd.DataFrame(X, columns=["age", "debt", "size"]), target)
    with (
        warnings.catch_warnings(),
        pytest.raises(DataError, match=r"column 'age' holds 1e\+308 in row 1 and makes the prediction overflow"),
    ):
        warnings.simplefilter("ignore", RuntimeWarning)
        getattr(fitted, method)(pd.DataFrame(FAR, columns=["age", "debt", "size"]))


def test_a_row_without_any_density_is_predicted_by_the_class_priors():
    model = learnable.MixedNB(distributions="kde").fit(X, (Y > 1).astype(int))
    np.testing.assert_allclose(model.predict_proba(FAR)[1], model.class_prior_)
