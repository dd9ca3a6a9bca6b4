"""What is misused is refused in words that name the class or function, what is wrong and what to do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import learnable
from learnable import (
    ElasticNetCV,
    GammaRegressor,
    GradientDescentRegressor,
    HuberRegressor,
    LogisticRegression,
    LogisticRegressionCV,
    PoissonRegressor,
    RANSACRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
    effective_degrees_of_freedom,
    information_criterion,
)

X = np.random.default_rng(0).standard_normal((20, 3))
Y = X[:, 0] + 1.0


def use(context):
    with context:
        pass


CASES = {
    "a class for an estimator": (
        lambda: RANSACRegressor(estimator=Ridge).fit(X, Y), "RANSACRegressor: estimator must be .* not a class"),
    "a number for an estimator": (
        lambda: effective_degrees_of_freedom(3, X, Y), r"degrees_of_freedom: .*such as Ridge\(alpha=1.0\).*3"),
    "a class for a model": (
        lambda: effective_degrees_of_freedom(Ridge, X, Y), "effective_degrees_of_freedom: estimator must be"),
    "no noise": (
        lambda: effective_degrees_of_freedom(HuberRegressor(), X, Y, noise=-1.0), "freedom: noise must be .*-1.0"),
    "text for draws": (
        lambda: effective_degrees_of_freedom(HuberRegressor(), X, Y, n_draws="a"), "freedom: n_draws must be .*'a'"),
    "a negative seed of a function": (
        lambda: effective_degrees_of_freedom(HuberRegressor(), X, Y, random_state=-1), "freedom: random_state must be"),
    "a model for a target": (
        lambda: information_criterion(Ridge(), X, Y), r"information_criterion\(y, model.predict\(X\), degrees"),
    "a target for degrees of freedom": (
        lambda: information_criterion(Y, Y + 1, Y), "information_criterion: degrees_of_freedom must be a number"),
    "too few predictions": (
        lambda: information_criterion(Y, Y[:5], 2), "information_criterion: y has 20 rows but prediction has 5"),
    "an unknown criterion": (
        lambda: information_criterion(Y, Y + 1, 2, criterion="x"), 'information_criterion: criterion must be "aic"'),
    "text for a variance": (
        lambda: information_criterion(Y, Y + 1, 2, noise_variance="a"), "information_criterion: noise_variance"),
    "text for threads": (lambda: use(learnable.threads("a")), "threads: n must be a whole number .*'a'"),
    "half a thread": (lambda: use(learnable.threads(1.5)), "threads: n must be a whole number .*1.5"),
    "text for seconds": (lambda: use(learnable.progress("a")), "progress: every must be a number of seconds"),
    "a dict for a table": (lambda: Ridge().fit({"a": [1.0]}, Y), r"Ridge: X is a dict.*pandas.DataFrame\(X\)"),
    "a generator for a table": (lambda: Ridge().fit((row for row in X), Y), r"Ridge: X is a generator.*list\(X\)"),
    "a lazy table": (lambda: Ridge().fit(pl.DataFrame(X).lazy(), Y), r"Ridge: X is a LazyFrame.*X.collect\(\)"),
    "a lazy target": (lambda: Ridge().fit(X, pl.DataFrame(Y).lazy()), r"Ridge: y is a LazyFrame.*y.collect\(\)"),
    "an object for a table": (lambda: Ridge().fit(object(), Y), "Ridge: X is a object, not rows: make an array"),
    "an initial weight that is not a number": (
        lambda: GradientDescentRegressor(coef_init=[1.0, np.nan, 2.0]).fit(X, Y),
        r"GradientDescentRegressor: coef_init must be finite; got \[1.0, nan, 2.0\]"),
    "text for first weights": (
        lambda: GradientDescentRegressor(coef_init=["a", "b", "c"]).fit(X, Y), "Regressor: coef_init must hold 3 fin"),
    "too few first weights": (
        lambda: GradientDescentRegressor(coef_init=[1.0]).fit(X, Y), "coef_init must hold 3 finite numbers.*got 1 of"),
    "an infinite constant": (
        lambda: GradientDescentRegressor(intercept_init=np.inf).fit(X, Y), "Regressor: intercept_init must be finite"),
    "an unknown loss": (
        lambda: GradientDescentRegressor(loss="x").fit(X, Y), "Regressor: loss must be one of squared_error, .*'x'"),
    "a negative seed": (lambda: SGDRegressor(random_state=-1).fit(X, Y), "SGDRegressor: random_state must be at least"),
    "an unknown score": (lambda: RidgeCV(scoring="x").fit(X, Y), "RidgeCV: scoring must be one of .*or a callable"),
    "alphas that are text": (
        lambda: RidgeCV(alphas=["a", "b"]).fit(X, Y), r"RidgeCV: alphas must be numbers at least 0 .*\['a', 'b'\]"),
    "a strength that is not a number": (
        lambda: Ridge(alpha=np.nan).fit(X, Y), "Ridge: alpha must be finite and at least 0; got nan"),
    "folds with results of leaving one out": (
        lambda: RidgeCV(cv=3, store_cv_results=True).fit(X, Y), "RidgeCV: cv=3 and store_cv_results=True are inc"),
    "folds with a strength per target": (
        lambda: RidgeCV(cv=3, alpha_per_target=True).fit(X, Y), "alpha_per_target=True are incompatible.*set cv=None"),
    "folds of classes with results of leaving one out": (
        lambda: RidgeClassifierCV(cv=3, store_cv_results=True).fit(X, Y > 1), "RidgeClassifierCV: cv=3 and store_cv_r"),
    "a solver for positive coefficients": (
        lambda: Ridge(solver="lbfgs").fit(X, Y), "Ridge: solver='lbfgs' fits only positive coefficients"),
    "a solver that cannot keep coefficients positive": (
        lambda: RidgeClassifier(solver="svd", positive=True).fit(X, Y > 1), "Classifier: solver='svd' does not"),
    "a strength for each of two classes": (
        lambda: RidgeClassifier(alpha=[1.0, 2.0]).fit(X, Y > 1), "RidgeClassifier: alpha has 2 values for 1 targets"),
    "a start that is not a number": (
        lambda: SGDRegressor().fit(X, Y, coef_init=[np.nan, 0, 0]), r"coef_init must hold .*\(3,\); got nan among"),
    "a start that is text": (
        lambda: SGDClassifier().fit(X, Y > 1, coef_init=["a", 0, 0]), r"coef_init must hold .*\(1, 3\); got \['a'"),
    "a constant to start from that is infinite": (
        lambda: SGDRegressor().fit(X, Y, intercept_init=np.inf), "SGDRegressor: intercept_init must hold .*got inf"),
    "columns whose squares overflow": (
        lambda: GradientDescentRegressor().fit(X * 1e300, Y), "the squares of X are beyond .*scale the columns of X"),
    "no alphas to try for classes": (
        lambda: LogisticRegressionCV(Cs=[]).fit(X, Y > 1), r"LogisticRegressionCV: Cs must be .*not empty; got \[\]"),
    "no blends to try": (
        lambda: ElasticNetCV(l1_ratio=[]).fit(X, Y), r"ElasticNetCV: l1_ratio must be .*not empty; got \[\]"),
    "weights of classes that there are not": (
        lambda: LogisticRegression(class_weight={7: 1.0}).fit(X, Y > 1),
        r"LogisticRegression: class_weight names \[7\], which is not in y, .* the classes \[False, True\]"),
    "the weight of a class that is misspelt": (
        lambda: RidgeClassifier(class_weight={"yes": 2.0, "on": 1.0}).fit(X, np.where(Y > 1, "yes", "no")),
        r"RidgeClassifier: class_weight names \['on'\], which is not in y, .* the classes \['no'\]"),
    "a negative count": (lambda: PoissonRegressor().fit(X, Y - 5), "PoissonRegressor: the .* needs y >= 0.*remove"),
    "a target of zero": (lambda: GammaRegressor().fit(X, Y * 0), "GammaRegressor: the .* needs y > 0.*remove"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_misuse_is_refused_with_a_message(case):
    action, words = CASES[case]
    with pytest.raises((ValueError, TypeError), match=words):
        action()


def test_files_that_cannot_be_written_are_named_as_the_user_names_them(tmp_path):
    model, nowhere = Ridge().fit(X, Y), tmp_path / "none" / "model"
    with pytest.raises(FileNotFoundError, match=r"none/model: the folder .*none does not exist; make it first"):
        learnable.save(model, nowhere)
    with pytest.raises(FileNotFoundError, match="none/model: the folder"):
        use(learnable.checkpoint(nowhere))
    with pytest.raises(IsADirectoryError, match="is a folder; give the name of a file in it"):
        learnable.save(model, tmp_path)
    with pytest.raises(TypeError, match="save: the first argument must be an estimator; got 3"):
        learnable.save(3, tmp_path / "model")


INFINITE = [
    ("HuberRegressor", "epsilon"), ("HuberRegressor", "alpha"), ("PoissonRegressor", "alpha"), ("LassoCV", "alphas"),
    ("TweedieRegressor", "power"), ("StudentTRegressor", "degrees"), ("RidgeClassifier", "alpha"), ("Lasso", "alpha"),
    ("QuantileRegressor", "ridge"), ("KernelRidge", "alpha"), ("RANSACRegressor", "residual_threshold"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "parameter"), INFINITE)
def test_parameters_to_compute_with_are_finite(name, parameter):
    value = [1.0, np.inf] if parameter == "alphas" else np.inf
    with pytest.raises(learnable.ParameterError, match=f"^{name}: {parameter} must be finite.*; got .*inf"):
        getattr(learnable, name)(**{parameter: value}).fit(X, Y)


def test_divergence_by_a_large_penalty_names_alpha_and_not_the_rate():
    with pytest.warns(learnable.ConvergenceWarning, match=r"penalty of alpha=1e\+200 dominates every row; lower alpha"):
        SGDRegressor(alpha=1e200, random_state=0).fit(X, Y)


def test_a_warning_counts_the_same_iterations_as_the_limit():
    with pytest.warns(learnable.ConvergenceWarning, match="Lasso: stopped by the iteration limit after 2 passes"):
        learnable.Lasso(alpha=1e-3, max_iter=2, tol=1e-12).fit(X, Y + X[:, 1] ** 2)
    with pytest.warns(
        learnable.ConvergenceWarning, match="RANSACRegressor: stopped by the iteration limit after 7 tri"
    ):
        RANSACRegressor(max_trials=7, residual_threshold=1e-3, random_state=0).fit(X, X[:, 1] ** 3)
