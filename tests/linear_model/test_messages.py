"""What is misused is refused in words that name the class or function, what is wrong and what to do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import learnable
from learnable import (
    GammaRegressor,
    GradientDescentRegressor,
    HuberRegressor,
    PoissonRegressor,
    RANSACRegressor,
    Ridge,
    RidgeCV,
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
    "a first weight that is no number": (
        lambda: GradientDescentRegressor(coef_init=[1.0, np.nan, 2.0]).fit(X, Y),
        "GradientDescentRegressor: coef_init must hold 3 finite numbers.*nan for column 1"),
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
    "a negative count": (lambda: PoissonRegressor().fit(X, Y - 5), "PoissonRegressor: the .* needs y >= 0.*remove"),
    "a target of zero": (lambda: GammaRegressor().fit(X, Y * 0), "GammaRegressor: the .* needs y > 0.*remove"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_misuse_is_refused_in_words(case):
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
