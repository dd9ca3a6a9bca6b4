"""Many ridge regressions of one table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, key, ours, package, sklearn
from benchmarks.linear_quality import Ridges, weights
from benchmarks.problems import dense
from benchmarks.task import AtMost, Contender, Data, Output, Quality, Task


def make(n: int, p: int, alphas: int) -> Data:
    """A noisy table, so that the best strength lies inside the grid."""
    return {**dense(n, p, noise=20.0), "alphas": np.geomspace(1e-2, 1e6, alphas)}


def read_choice(model: Any) -> Output:
    return {"coef": model.coef_, "intercept": model.intercept_, "alpha": model.alpha_}


def choice_excess(data: Data, output: Output) -> float:
    """Excess of the leave-one-out error of the chosen strength, plus excess of the final objective."""
    problem = Ridges(data["X"], data["y"])
    errors = problem.leave_one_out(np.append(data["alphas"], output["alpha"]))
    return float(errors[-1] / errors[:-1].min() - 1) + problem.excess(*weights(output), float(output["alpha"]))


def prepare_choice_by_numpy(data: Data) -> Callable[[], Output]:
    def call() -> Output:
        problem = Ridges(data["X"], data["y"])
        alpha = data["alphas"][problem.leave_one_out(data["alphas"]).argmin()]
        w, b = problem.solve(alpha)
        return {"coef": w, "intercept": b, "alpha": alpha}

    return call


def path_excess(data: Data, output: Output) -> float:
    """The largest relative excess of the objective along the path."""
    problem = Ridges(data["X"], data["y"])
    rows = zip(data["alphas"], np.asarray(output["coefs"]).T, output["intercepts"], strict=True)
    return max(problem.excess(w, float(b), float(alpha)) for alpha, w, b in rows)


def loop(name: str, where: str) -> Contender:
    """One fit after the other: what a user of a library without a path has to do."""

    def prepare(data: Data) -> Callable[[], Output]:
        make_model = attribute(where)

        def call() -> Output:
            models = [make_model(alpha=alpha).fit(data["X"], data["y"]) for alpha in data["alphas"].tolist()]
            coefs = np.column_stack([model.coef_ for model in models])
            return {"coefs": coefs, "intercepts": np.array([model.intercept_ for model in models])}

        return call

    return Contender(name, prepare, read=dict, needs=(package(where),))


def prepare_path_by_numpy(data: Data) -> Callable[[], Output]:
    def call() -> Output:
        problem = Ridges(data["X"], data["y"])
        coefs, intercepts = zip(*(problem.solve(alpha) for alpha in data["alphas"]), strict=True)
        return {"coefs": np.column_stack(coefs), "intercepts": np.array(intercepts)}

    return call


def read_our_path(raw: Any) -> Output:
    return {"coefs": raw[1], "intercepts": raw[2]}


SIZES: dict[str, Any] = {
    "full": {"n": 100_000, "p": 200, "alphas": 50},
    "quick": {"n": 2_000, "p": 30, "alphas": 8},
}

TASKS = (
    Task(
        name="ridgecv_loo",
        home=__name__,
        size="{n} x {p}, {alphas} values of alpha, leave-one-out",
        make=make,
        contenders=(
            ours("RidgeCV", alphas=key("alphas"), read=read_choice),
            sklearn("RidgeCV", alphas=key("alphas"), read=read_choice),
            Contender("numpy, one eigh", prepare_choice_by_numpy, read=dict, kind="reference"),
        ),
        quality=Quality("excess of error and objective", choice_excess, AtMost(1e-8)),
        **SIZES,
    ),
    Task(
        name="ridge_path",
        home=__name__,
        size="{n} x {p}, {alphas} values of alpha",
        make=make,
        contenders=(
            ours("ridge_path", alphas=key("alphas"), read=read_our_path),
            loop("scikit-learn, one fit each", "sklearn.linear_model:Ridge"),
            loop("scikit-learn-intelex, one fit each", "sklearnex.linear_model:Ridge"),
            Contender("numpy, one eigh", prepare_path_by_numpy, read=dict, kind="reference"),
        ),
        quality=Quality("largest excess of the objective", path_excess, AtMost(1e-8)),
        **SIZES,
    ),
)
