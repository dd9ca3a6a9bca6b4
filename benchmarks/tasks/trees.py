"""Trees, forests and AdaBoost: growth to full depth, and prediction by many trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def classes(n: int, p: int, m: int) -> Data:
    """Two classes with a nonlinear boundary in half of the features, with noise; the last `m` rows are test rows."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n + m, p)).astype(np.float32)
    half = p // 2
    score = X[:, :half] @ draws.normal(size=half) + np.abs(X[:, :half]) @ draws.normal(size=half)
    y = (score - np.median(score) + 0.6 * score.std() * draws.standard_normal(n + m) > 0).astype(np.int64)
    return {"X": X[:n], "y": y[:n], "new": X[n:], "truth": y[n:]}


def numbers(n: int, p: int, m: int) -> Data:
    """A nonlinear surface with noise; the last `m` rows are test rows."""
    draws = np.random.default_rng(0)
    X = draws.standard_normal((n + m, p)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) + 0.3 * draws.standard_normal(n + m)
    return {"X": X[:n], "y": y[:n], "new": X[n:], "truth": y[n:]}


def outlier_rows(n: int, p: int) -> Data:
    """Normal rows, every hundredth of them ones that lie about anywhere."""
    draws = np.random.default_rng(0)
    X, odd = draws.standard_normal((n, p)), np.arange(n) % 100 == 0
    X[odd] = draws.uniform(-3, 3, (int(odd.sum()), p))
    return {"X": X.astype(np.float32), "odd": odd}


def isolating(name: str, where: str, kind: Kind = "peer", **parameters: Any) -> Contender:
    """An isolation forest: fitting it and scoring all rows is timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(random_state=0, **parameters).fit(data["X"]).score_samples(data["X"])

    return Contender(name, prepare, lambda raw: {"scores": np.asarray(raw)}, needs=(package(where),), kind=kind)


def pair_accuracy(data: Data, output: Output) -> float:
    """The fraction of pairs of an outlier and an inlier in which the outlier has the lower score."""
    ranks = np.argsort(np.argsort(output["scores"], kind="stable"), kind="stable") + 1.0
    odd, ordinary = int(data["odd"].sum()), int((~data["odd"]).sum())
    return float((ranks[~data["odd"]].sum() - ordinary * (ordinary + 1) / 2) / odd / ordinary)


def model(name: str, where: str, kind: Kind = "peer", **parameters: Any) -> Contender:
    """A class "module:Name": construction and fit are timed, predictions for new rows are evaluated."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(**parameters).fit(data["X"], data["y"])

    def output(raw: Any) -> Output:
        return {"model": raw}

    return Contender(name, prepare, output, needs=(package(where),), kind=kind)


def implementations(home: str, name: str, intel: bool = False, **parameters: Any) -> tuple[Contender, ...]:
    """Ours, scikit-learn's and, where it has one, Intel's, with the same parameters."""
    jobs = {"n_jobs": 2} if home == "ensemble" and name != "AdaBoostClassifier" else {}
    peers = [model("scikit-learn", f"sklearn.{home}:{name}", **parameters, **jobs)]
    if intel:
        peers.append(model("sklearnex", f"sklearnex.{home}:{name}", **parameters, **jobs))
    return (model("learnable", f"learnable.{home}:{name}", "ours", **parameters), *peers)


def one_tree_by_bins(name: str, **parameters: Any) -> Contender:
    """A forest of one tree, without drawing, by Intel's histograms."""
    return model("sklearnex, one tree", f"sklearnex.ensemble:{name}", n_estimators=1, bootstrap=False, **parameters)


def ours_by_bins(home: str, name: str, **parameters: Any) -> Contender:
    """Ours, with columns in 255 bins."""
    return model("learnable, bins", f"learnable.{home}:{name}", "ours", splits="histogram", **parameters)


def accuracy(data: Data, output: Output) -> float:
    """The share of new rows whose class is found."""
    return float(np.mean(np.asarray(output["model"].predict(data["new"])) == data["truth"]))


def explained(data: Data, output: Output) -> float:
    """The share of the spread of new rows that is explained."""
    residual = np.asarray(output["model"].predict(data["new"])) - data["truth"]
    return float(1 - np.mean(residual**2) / np.var(data["truth"]))


RIGHT = Quality("accuracy", accuracy, Near(1e-2, higher_is_better=True))
EXPLAINED = Quality("R2", explained, Near(1e-2, higher_is_better=True))
TABLE = {"full": {"n": 100_000, "p": 20, "m": 20_000}, "quick": {"n": 1500, "p": 8, "m": 500}}


def boosted(data: Data) -> Any:
    """A boosted model of a hundred trees with 31 leaves, the same for every library."""
    import lightgbm

    settings = {"n_estimators": 100, "num_leaves": 31, "n_jobs": 2, "deterministic": True, "verbose": -1}
    return lightgbm.LGBMRegressor(**settings).fit(data["X"], data["y"]).booster_


def ours_of(data: Data) -> Any:
    """The trees of the boosted model as a stack of ours."""
    from learnable.engines.trees.tree import Tree
    from learnable.engines.trees.tree_stack import TreeStack

    def tree(root: dict[str, Any]) -> Tree:
        left, right, feature, threshold, value = [], [], [], [], []

        def add(node: dict[str, Any]) -> int:
            here = len(left)
            inner = "left_child" in node
            left.append(-1), right.append(-1)
            feature.append(node["split_feature"] if inner else -2)
            threshold.append(node["threshold"] if inner else -2.0)
            value.append(0.0 if inner else node["leaf_value"])
            if inner:
                left[here] = add(node["left_child"])
                right[here] = add(node["right_child"])
            return here

        add(root)
        size = len(left)
        plain = np.zeros(size)
        whole = [np.array(part, dtype=np.int32) for part in (left, right, feature)]
        sets = np.zeros(size + 1, dtype=np.int64), np.zeros(0, dtype=np.uint64)
        rows = np.zeros(size, dtype=np.int64)
        return Tree(*whole, np.array(threshold), np.zeros(size, dtype=np.uint8), *sets, plain, rows, plain,
                    np.array(value)[:, None, None])  # fmt: skip

    described = boosted(data).dump_model()["tree_info"]
    return TreeStack.of([tree(info["tree_structure"]) for info in described])


def prediction(name: str, maker: Callable[[Data], Callable[[Any], Any]], needs: str, kind: Kind = "peer") -> Contender:
    """The time of the predictions of a packed model for all rows, or for one row a thousand times."""

    def prepare(data: Data) -> Callable[[], Any]:
        predict, rows = maker(data), np.ascontiguousarray(data["new"])
        predict(rows)
        if len(rows) > 1:
            return lambda: predict(rows)

        def often() -> Any:
            for _ in range(999):
                predict(rows)
            return predict(rows)

        return often

    return Contender(name, prepare, lambda raw: {"prediction": np.ravel(raw)}, needs=(needs,), kind=kind)


def by_daal(data: Data) -> Callable[[Any], Any]:
    """Intel's engine on the same trees."""
    converted = attribute("daal4py.mb:convert_model")(boosted(data))
    return lambda rows: converted.predict(rows)


PREDICTING = (
    prediction("learnable", lambda data: ours_of(data).sums, "lightgbm", "ours"),
    prediction("daal4py", by_daal, "daal4py"),
    prediction("lightgbm", lambda data: boosted(data).predict, "lightgbm"),
)


def agreement(data: Data, output: Output) -> float:
    """The share of the spread of the rows that is explained; the same trees give the same."""
    residual = output["prediction"][: len(data["truth"])] - data["truth"]
    return float(np.mean(residual**2))


SAME_TREES = Quality("squares", agreement, Near(1e-4))

TASKS = (
    Task(
        name="decision_tree",
        home=__name__,
        size="tree of {n} x {p}, full depth",
        make=classes,
        contenders=(
            *implementations("tree", "DecisionTreeClassifier", random_state=0),
            ours_by_bins("tree", "DecisionTreeClassifier", random_state=0),
            one_tree_by_bins("RandomForestClassifier", max_features=None),
        ),
        quality=RIGHT,
        **TABLE,
    ),
    Task(
        name="regression_tree",
        home=__name__,
        size="regression tree of {n} x {p}, depth 12",
        make=numbers,
        full={"n": 1_000_000, "p": 10, "m": 20_000},
        quick={"n": 1500, "p": 8, "m": 500},
        contenders=(
            *implementations("tree", "DecisionTreeRegressor", max_depth=12, random_state=0),
            ours_by_bins("tree", "DecisionTreeRegressor", max_depth=12, random_state=0),
            one_tree_by_bins("RandomForestRegressor", max_depth=12),
        ),
        quality=EXPLAINED,
    ),
    Task(
        name="random_forest",
        home=__name__,
        size="random forest of {n} x {p}, 100 trees, full depth",
        make=classes,
        contenders=(
            *implementations("ensemble", "RandomForestClassifier", intel=True, n_estimators=100, random_state=0),
            ours_by_bins("ensemble", "RandomForestClassifier", n_estimators=100, random_state=0),
        ),
        quality=RIGHT,
        **TABLE,
    ),
    Task(
        name="extra_trees",
        home=__name__,
        size="extra trees of {n} x {p}, 100 trees, full depth",
        make=classes,
        contenders=implementations("ensemble", "ExtraTreesClassifier", intel=True, n_estimators=100, random_state=0),
        quality=RIGHT,
        **TABLE,
    ),
    Task(
        name="isolation_forest",
        home=__name__,
        size="isolation forest of {n} x {p}, 100 trees, with the scores of all rows",
        make=outlier_rows,
        full={"n": 100_000, "p": 20},
        quick={"n": 1000, "p": 4},
        contenders=(
            isolating("learnable", "learnable.ensemble:IsolationForest", "ours"),
            isolating("scikit-learn", "sklearn.ensemble:IsolationForest", n_jobs=2),
        ),
        quality=Quality("pairs", pair_accuracy, Near(1e-2, higher_is_better=True)),
    ),
    Task(
        name="adaboost",
        home=__name__,
        size="AdaBoost of {n} x {p}, 200 stumps",
        make=classes,
        contenders=implementations("ensemble", "AdaBoostClassifier", n_estimators=200, random_state=0),
        quality=RIGHT,
        **TABLE,
    ),
    Task(
        name="predict_trees",
        home=__name__,
        size="predictions of 100 trees with 31 leaves for {m} rows of {p} columns",
        make=numbers,
        full={"n": 50_000, "p": 28, "m": 100_000},
        quick={"n": 2000, "p": 8, "m": 500},
        contenders=PREDICTING,
        quality=SAME_TREES,
    ),
    Task(
        name="predict_one_row",
        home=__name__,
        size="a thousand predictions of 100 trees with 31 leaves for {m} row of {p} columns",
        make=numbers,
        full={"n": 50_000, "p": 28, "m": 1},
        quick={"n": 2000, "p": 8, "m": 1},
        contenders=PREDICTING,
        quality=SAME_TREES,
    ),
)
