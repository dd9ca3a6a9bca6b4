"""Recommenders: the same number of epochs of factors, beside the packages that recommenders are usually made with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import package
from benchmarks.task import Contender, Data, Kind, Near, Quality, Task


def ratings(n: int, users: int, items: int, k: int, steps: int) -> Data:
    """Ratings by biases and factors, with popular items."""
    rng = np.random.default_rng(0)
    popular = np.minimum(rng.pareto(0.8, n), 1e6).astype(np.int64) % items
    tried = np.concatenate([rng.integers(0, users, n) * items + popular, rng.integers(0, users * items, 2 * n)])
    code = rng.permutation(np.unique(tried))[:n]
    user, item = code // items, code % items
    P, Q = (0.4 * rng.standard_normal((size, 5)) for size in (users, items))
    y = 3.5 + 0.4 * rng.standard_normal(users)[user] + 0.4 * rng.standard_normal(items)[item]
    y += (P[user] * Q[item]).sum(axis=1) + 0.5 * rng.standard_normal(len(user))
    return {"X": np.column_stack([user, item]), "y": y, "users": users, "items": items, "k": k, "steps": steps}


def factors(name: str, kind: Kind = "peer") -> Contender:
    """Matrix factorisation with biases by stochastic gradients."""

    def ours(data: Data) -> Callable[[], Any]:
        from learnable.recommend import MatrixFactorization

        model = MatrixFactorization(int(data["k"]), max_iter=int(data["steps"]), random_state=0)
        return lambda: model.fit(data["X"], data["y"]).predict(data["X"])

    def theirs(data: Data) -> Callable[[], Any]:
        from surprise import SVD, Dataset, Reader

        rows = [(str(user), str(item), float(r), None) for (user, item), r in zip(data["X"], data["y"], strict=True)]
        holder = Dataset(Reader(rating_scale=(float(data["y"].min()), float(data["y"].max()))))
        table = holder.construct_trainset(rows)
        user = np.array([table.to_inner_uid(row[0]) for row in rows])
        item = np.array([table.to_inner_iid(row[1]) for row in rows])

        def call() -> Any:
            model = SVD(n_factors=int(data["k"]), n_epochs=int(data["steps"]), random_state=0).fit(table)
            return table.global_mean + model.bu[user] + model.bi[item] + (model.pu[user] * model.qi[item]).sum(axis=1)

        return call

    prepare = ours if kind == "ours" else theirs
    return Contender(name, prepare, lambda found: {"predictions": found}, needs=(package(f"{name}:x"),), kind=kind)


def implicit_feedback(name: str, exact: bool, kind: Kind = "peer") -> Contender:
    """Alternating least squares of the pattern of the ratings."""

    def ours(data: Data) -> Callable[[], Any]:
        from learnable.recommend import AlternatingLeastSquares

        solver: Any = "cholesky" if exact else "cg"
        model = AlternatingLeastSquares(int(data["k"]), max_iter=int(data["steps"]), solver=solver, random_state=0)
        return lambda: model.fit(_pattern(data))

    def theirs(data: Data) -> Callable[[], Any]:
        from implicit.cpu.als import AlternatingLeastSquares

        options = {"regularization": 0.01, "alpha": 1.0, "iterations": int(data["steps"]), "use_cg": not exact}

        def call() -> Any:
            model = AlternatingLeastSquares(int(data["k"]), random_state=0, **options)
            model.fit(_pattern(data), show_progress=False)
            return model

        return call

    def factors_of(model: Any) -> dict[str, Any]:
        return {
            "P": getattr(model, "user_factors_", getattr(model, "user_factors", None)),
            "Q": getattr(model, "item_factors_", getattr(model, "item_factors", None)),
        }

    return Contender(name, ours if kind == "ours" else theirs, factors_of, needs=(package(f"{name}:x"),), kind=kind)


def _pattern(data: Data) -> Any:
    from scipy import sparse

    X = np.asarray(data["X"])
    return sparse.csr_matrix((np.ones(len(X)), (X[:, 0], X[:, 1])), shape=(int(data["users"]), int(data["items"])))


def _objective(data: Data, output: Any) -> float:
    P, Q, X = (np.asarray(part, dtype=np.float64) for part in (output["P"], output["Q"], data["X"]))
    product = (P[X[:, 0].astype(int)] * Q[X[:, 1].astype(int)]).sum(axis=1)
    everywhere = float(((P.T @ P) * (Q.T @ Q)).sum())
    return everywhere + float((2 * (1 - product) ** 2 - product**2).sum()) + 0.01 * float((P**2).sum() + (Q**2).sum())


FULL = {"n": 600_000, "users": 6040, "items": 3700}
QUICK = {"n": 600, "users": 60, "items": 40}
TASKS = (
    Task(
        name="rating-factors",
        home=__name__,
        size="{k} factors of {n} ratings, {steps} epochs of stochastic gradients",
        make=ratings,
        full={**FULL, "k": 100, "steps": 10},
        quick={**QUICK, "k": 5, "steps": 3},
        contenders=(factors("learnable", "ours"), factors("surprise")),
        quality=Quality(
            "RMSE",
            lambda data, output: float(np.sqrt(((np.asarray(output["predictions"]) - data["y"]) ** 2).mean())),
            Near(0.02, higher_is_better=False),
        ),
    ),
    *(
        Task(
            name=f"implicit-factors-{'exact' if exact else 'gradients'}",
            home=__name__,
            size="{k} factors of {n} observed pairs, {steps} iterations" + (", exact" if exact else ""),
            make=ratings,
            full={**FULL, "k": 64, "steps": 5},
            quick={**QUICK, "k": 4, "steps": 3},
            contenders=(implicit_feedback("learnable", exact, "ours"), implicit_feedback("implicit", exact)),
            quality=Quality("objective", _objective, Near(0.05, higher_is_better=False)),
        )
        for exact in (False, True)
    ),
)
