from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LinearRegression as Peer

import learnable
from learnable.core import DataError
from learnable.linear_model import LinearRegression, TweedieRegressor
from tests.references.exact import least_squares


def drawn(seed=0, n=60, p=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * [1, 10, 0.1, 3][:p] + 2
    return X, X @ np.arange(1.0, p + 1) + rng.normal(size=n)


def test_normal_equations():
    X, y = drawn()
    A = np.column_stack([np.ones(len(y)), X])
    expected = np.linalg.solve(A.T @ A, A.T @ y)
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), expected, rtol=1e-10)


@pytest.mark.parametrize("y", [[1.0, 2.0, 6.0], [4.0], [-1.0, 1.0, 0.5, 7.25]])
def test_zero_dimensional_regression_is_the_mean(y):
    """One weight and no input, minimise sum_i (y_i - w)^2: w = mean(y), below every other constant (W-59)."""
    ones, best = np.ones((len(y), 1)), sum(y) / len(y)
    model = LinearRegression(fit_intercept=False).fit(ones, y)
    assert model.coef_ == pytest.approx([best], rel=1e-15)
    error = [sum((target - w) ** 2 for target in y) for w in (best, best - 1e-3, best + 1e-3)]
    assert model.trace_["objective"][-1] == pytest.approx(error[0], abs=1e-12) and error[0] < min(error[1:])
    constant = LinearRegression().fit(ones, y)
    assert constant.coef_[0] == 0 and constant.intercept_ == pytest.approx(best, rel=1e-15)


def test_only_the_column_that_does_not_vary_lacks_a_standard_error():
    X, y = drawn()
    still = np.insert(X, 2, 5.0, axis=1)
    summary, without = LinearRegression().fit(still, y).summary(), LinearRegression().fit(X, y).summary()
    varying = [0, 1, 2, 4, 5]
    for column in ("coef", "std_err", "t", "p", "low", "high"):
        np.testing.assert_allclose(summary.table[column][varying], without.table[column], rtol=1e-9, atol=1e-12)
    assert summary.table["coef"][3] == 0 and np.isnan(summary.table["std_err"][3])
    facts = {name: value for name, value in without.facts.items() if name != "condition_number"}
    assert {name: summary.facts[name] for name in facts} == pytest.approx(facts, rel=1e-9)
    assert "Without standard error, because constant: x2." in str(summary)
    assert "nan" not in str(summary)


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("kind", ["constant", "copy", "sum"])
def test_a_column_that_adds_nothing_changes_nothing_wherever_it_stands(place, kind):
    X, y = drawn()
    added = {"constant": np.full(len(y), 5.0), "copy": X[:, 1], "sum": X[:, 0] - 2 * X[:, 3]}[kind]
    model = LinearRegression().fit(np.insert(X, place, added, axis=1), y)
    assert model.certificate_.holds and model.rank_ == 4
    np.testing.assert_allclose(
        model.predict(np.insert(X, place, added, axis=1)), LinearRegression().fit(X, y).predict(X), rtol=1e-10
    )


def test_columns_that_repeat_each_other_have_no_standard_errors_beside_one_that_does_not_vary():
    X, y = drawn()
    summary = LinearRegression().fit(np.column_stack([X, X[:, 0], np.ones(len(y))]), y).summary()
    assert "std_err" not in summary.table and "not independent" in str(summary)


def test_a_constrained_fit_has_no_f_statistic():
    X, y = drawn()
    summary = LinearRegression(positive=True).fit(X, y).summary()
    assert "f" not in summary.facts and "F statistic" not in str(summary) and "held at zero" in str(summary)


def test_one_row_is_one_row():
    assert "1 row\n" in str(LinearRegression().fit([[1.0]], [2.0]).summary())


@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"positive": True}])
@pytest.mark.parametrize("several", [False, True])
def test_agrees_with_scikit_learn(options, several):
    X, y = drawn(1)
    y = np.column_stack([y, -2 * y + X[:, 0]]) if several else y
    weight = np.random.default_rng(1).uniform(0.1, 3, len(y))
    ours, theirs = LinearRegression(**options).fit(X, y, weight), Peer(**options).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-9)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.score(X, y, weight) == pytest.approx(theirs.score(X, y, weight))


def test_several_targets_are_several_fits():
    X, y = drawn(2)
    Y = np.column_stack([y, y**2])
    together = LinearRegression().fit(X, Y)
    for t in range(2):
        alone = LinearRegression().fit(X, Y[:, t])
        np.testing.assert_allclose(together.coef_[t], alone.coef_, rtol=1e-12)


def test_sparse_equals_dense():
    X = sparse.random_array((50, 6), density=0.4, rng=np.random.default_rng(3), format="csc")
    y = np.random.default_rng(3).normal(size=50)
    np.testing.assert_allclose(
        LinearRegression().fit(X, y).coef_, LinearRegression().fit(X.toarray(), y).coef_, rtol=1e-10
    )


def test_summary_equals_statsmodels():
    X, y = drawn(4)
    table, peer = LinearRegression().fit(X, y).summary(), sm.OLS(y, sm.add_constant(X)).fit()
    np.testing.assert_allclose(table.table["std_err"], peer.bse, rtol=1e-9)
    np.testing.assert_allclose(table.table["t"], peer.tvalues, rtol=1e-9)
    np.testing.assert_allclose(table.table["p"], peer.pvalues, rtol=1e-6, atol=1e-300)
    np.testing.assert_allclose(np.column_stack([table.table["low"], table.table["high"]]), peer.conf_int(), rtol=1e-9)
    expected = {
        "r_squared": peer.rsquared, "adjusted_r_squared": peer.rsquared_adj, "f": peer.fvalue, "f_p": peer.f_pvalue,
        "log_likelihood": peer.llf, "aic": peer.aic, "bic": peer.bic, "residual_sd": np.sqrt(peer.scale),
    }  # fmt: skip
    for name, value in expected.items():
        assert getattr(table, name) == pytest.approx(value, rel=1e-8), name


def test_summary_shows_itself_as_text_html_and_frame():
    X, y = drawn(5)
    table = LinearRegression().fit(X, y).summary(level=0.9)
    assert "[0.05" in str(table) and "0.95]" in str(table) and "const" in str(table)
    assert "<table>" in table._repr_html_()
    assert list(table.to_frame()["name"]) == ["const", "x0", "x1", "x2", "x3"]
    assert table.to_frame("polars").shape == (5, 7)


def test_summary_refuses_what_it_cannot_know():
    X, y = drawn(6)
    with pytest.raises(DataError, match="one target"):
        LinearRegression().fit(X, np.column_stack([y, y])).summary()
    wide = LinearRegression().fit(X[:3], y[:3]).summary()
    assert "std_err" not in wide.table and "no standard errors" in str(wide)


def test_gaussian_likelihood_view():
    """Least squares is maximum likelihood under Gaussian noise, whose variance is estimated by RSS / n."""
    X, y = drawn(7)
    model = LinearRegression().fit(X, y)
    residual = y - model.predict(X)
    variance = residual @ residual / len(y)
    likelihood = -0.5 * len(y) * (np.log(2 * np.pi * variance) + 1)
    assert model.summary().log_likelihood == pytest.approx(likelihood)
    worse = model.coef_ + 1e-3
    moved = y - X @ worse - model.intercept_
    assert -0.5 * (len(y) * np.log(2 * np.pi * variance) + moved @ moved / variance) < likelihood


@given(st.integers(0, 1000), st.permutations(range(4)), st.floats(0.01, 100))
@settings(max_examples=25, deadline=None)
def test_columns_may_be_permuted_and_rescaled(seed, order, factor):
    X, y = drawn(seed)
    plain, other = LinearRegression().fit(X, y), LinearRegression().fit(X[:, order] * factor, y * 2)
    np.testing.assert_allclose(other.coef_ * factor / 2, plain.coef_[list(order)], rtol=1e-8, atol=1e-10)


def test_polynomial_terms_solve_exclusive_or():
    """XOR with the features x1, x2, x1 x2 and targets -1, 1 is -1 + 2 x1 + 2 x2 - 4 x1 x2 (W-02)."""
    X = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1.0]])
    model = LinearRegression().fit(X, [-1, 1, 1, -1])
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), [-1, 2, 2, -4], atol=1e-12)


def test_powers_of_years_are_independent():
    """Whole numbers were never rounded, so that little is enough: here 4e-14 of the columns. Extended precision then
    leaves this many digits of the coefficients."""
    years = np.arange(2015.0, 2025.0)
    X, y = years[:, None] ** np.arange(1, 6), np.sin(years)
    rows = [[Fraction(1), *map(Fraction, row)] for row in X.tolist()]
    exact = [float(w) for w in least_squares(rows, [Fraction(value) for value in y.tolist()])[0]]
    model = LinearRegression().fit(X, y)
    assert model.rank_ == 5
    np.testing.assert_allclose([model.intercept_, *model.coef_], exact, rtol=np.finfo(np.longdouble).eps / 4e-14)


@pytest.mark.parametrize("extra", [0, 8])
def test_columns_that_differ_by_rounding_are_dependent(extra):
    """In fewer rows than columns as in more."""
    rng = np.random.default_rng(0)
    first, second, other = 1e8 + rng.random(10), 1e8 + rng.random(10), rng.normal(size=(10, extra))
    X = np.column_stack([first, second, first + second, other])
    assert LinearRegression().fit(X, rng.normal(size=10)).rank_ == min(2 + extra, 9)


def test_quadratic_basis_recovers_a_quadratic_surface():
    """y = 2 x1 + x2 - 0.8 x1 x2 + 0.5 x1^2 is recovered as the noise vanishes (W-27)."""
    rng = np.random.default_rng(8)
    a, b = rng.uniform(-2, 2, size=(2, 200))
    noise = rng.normal(size=200)
    basis = np.column_stack([a, b, a**2, a * b, b**2])
    for size in (1e-2, 1e-5):
        model = LinearRegression().fit(basis, 2 * a + b - 0.8 * a * b + 0.5 * a**2 + size * noise)
        np.testing.assert_allclose(np.append(model.intercept_, model.coef_), [0, 2, 1, 0.5, -0.8, 0], atol=size)


@pytest.mark.parametrize("model", [LinearRegression(), TweedieRegressor(alpha=0.0)])
def test_a_table_without_residual_degrees_of_freedom_has_a_note_and_no_nan(model):
    X = np.random.default_rng(0).standard_normal((4, 3))
    summary = model.fit(X, np.array([1.0, 2.0, 0.5, -1.0])).summary()
    assert list(summary.table) == ["name", "coef"] and "nan" not in str(summary) + summary._repr_html_()
    assert "no residual degrees of freedom" in str(summary) and "adjusted" not in str(summary)


def test_weights_that_sum_to_one_count_as_one_row_in_the_note():
    X = np.random.default_rng(0).standard_normal((30, 2))
    summary = LinearRegression().fit(X, X[:, 0] ** 2, sample_weight=np.full(30, 1 / 30)).summary()
    assert "rows, each counted by its weight, are 1 in all and coefficients 3" in str(summary)


@pytest.mark.parametrize("key", ["deviation", "root_inverse", "rank"])
def test_a_model_without_a_part_of_the_table_is_not_saved(tmp_path, key):
    model = LinearRegression().fit(np.random.default_rng(0).standard_normal((9, 3)), np.arange(9.0))
    del model.statistics_[key]
    with pytest.raises(learnable.ModelFileError, match="statistics_ has the wrong type"):
        learnable.save(model, tmp_path / "model")


def test_a_model_file_with_a_table_of_other_columns_is_refused_by_summary(tmp_path):
    model = LinearRegression().fit(np.random.default_rng(0).standard_normal((9, 3)), np.arange(9.0))
    model.statistics_["root_inverse"] = np.ones(7)
    learnable.save(model, tmp_path / "model")
    with pytest.raises(learnable.ModelFileError, match="has 7 columns, but the model has 3"):
        learnable.load(tmp_path / "model").summary()


@pytest.mark.parametrize("weights", [None, np.r_[np.ones(5), np.zeros(5)]])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (-np.inf, "infinity")])
@pytest.mark.parametrize("columns", [3, 20])
def test_values_that_are_not_finite_are_detected_while_fitting(columns, value, word, positive, weights):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, columns)), rng.normal(size=10)
    model = LinearRegression(positive=positive).fit(X, y)
    before = model.coef_
    X[7, 1] = value
    with pytest.raises(DataError, match=rf"LinearRegression: X contains {word} in column 1, row 7 \(1 bad value"):
        model.fit(X, y, weights)
    assert model.coef_ is before


@pytest.mark.parametrize("shape", [(40, 3), (5, 9)])
@pytest.mark.parametrize("unit", [2.0**-600, 2.0**600])
def test_a_target_of_any_size_is_fitted_alike(shape, unit):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    plain, other = LinearRegression().fit(X, y), LinearRegression().fit(X, unit * y)
    np.testing.assert_allclose(other.coef_ / unit, plain.coef_, rtol=1e-12)
    assert other.certificate_.holds


@pytest.mark.parametrize("shape", [(1, 3), (12, 4), (12, 12), (13, 12), (12, 30)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("unit", [1.0, 1e-9])
def test_singular_values_are_those_of_the_centred_data(shape, fit_intercept, unit):
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=shape), rng.normal(size=shape[0]), rng.uniform(0.5, 2, shape[0])
    if shape[0] < shape[1]:
        X[-1] *= unit  # a row beside whose square no other is lost
    model = LinearRegression(fit_intercept=fit_intercept).fit(X, y, weight)
    mean = np.average(X, axis=0, weights=weight) if fit_intercept else 0.0
    values = np.linalg.svd((X - mean) * np.sqrt(weight)[:, None], compute_uv=False)
    np.testing.assert_allclose(model.singular_, values, rtol=1e-8, atol=1e-12 * values.max())
