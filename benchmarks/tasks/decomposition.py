"""Principal components, singular values of sparse tables, and mixtures: few directions or groups of many rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contenders import attribute, package
from benchmarks.task import Contender, Data, Kind, Near, Output, Quality, Task


def factors(n: int, p: int, k: int) -> Data:
    """Rows of k factors and noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, k)) * np.linspace(3, 0.5, k) @ rng.standard_normal((k, p)) + rng.standard_normal((n, p))
    return {"X": X, "k": k}


def sparse_table(n: int, p: int, k: int, each: int) -> Data:
    """A sparse table with about `each` entries a row, of columns that are common and rare."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    probabilities = 1 / (np.arange(p) + 20.0)
    columns = rng.choice(p, size=n * each, p=probabilities / probabilities.sum())
    rows = np.repeat(np.arange(n), each)
    X = sparse.coo_array((rng.random(n * each), (rows, columns)), shape=(n, p)).tocsr()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return {"X": X, "k": k}


def groups(n: int, p: int, k: int, steps: int) -> Data:
    """Rows of k overlapping normal groups, and where climbs begin."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.standard_normal((k, p))
    X = centres[rng.integers(0, k, n)] + rng.standard_normal((n, p)) * np.linspace(0.5, 2, p)
    begin = {"means_init": X[:k].copy(), "weights_init": np.full(k, 1 / k)}
    begin["precisions_init"] = np.repeat(np.eye(p)[None], k, axis=0)
    return {"X": X, "k": k, "steps": steps, **begin}


def fitted(name: str, where: str, read: Callable[[Any], Output], kind: Kind = "peer", **options: Any) -> Contender:
    """A class "module:Name" that is made with k components and fitted to X."""

    def prepare(data: Data) -> Callable[[], Any]:
        make = attribute(where)
        return lambda: make(int(data["k"]), **options).fit(data["X"])

    return Contender(name, prepare, read, needs=(package(where),), kind=kind)


def climbed(name: str, where: str, kind: Kind = "peer") -> Contender:
    """A mixture after a given number of steps from a given place."""

    def prepare(data: Data) -> Callable[[], Any]:
        import warnings

        make = attribute(where)
        begin = {key: np.asarray(data[key]) for key in ("means_init", "weights_init", "precisions_init")}
        options = {"tol": 0.0, "max_iter": int(data["steps"]), "init_params": "random_from_data", "random_state": 0}

        def call() -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that so few steps do not converge
                return make(int(data["k"]), **options, **begin).fit(data["X"])

        return call

    return Contender(name, prepare, lambda model: {"bound": model.lower_bound_}, needs=(package(where),), kind=kind)


def svds(data: Data) -> Callable[[], Any]:
    """SciPy's singular values by Lanczos' method."""
    from scipy.sparse.linalg import svds as solve

    return lambda: solve(data["X"], int(data["k"]), solver="propack", random_state=0)


def read_share(model: Any) -> Output:
    return {"share": float(np.sum(model.explained_variance_ratio_))}


def read_square(model: Any) -> Output:
    return {"square": float(np.sum(np.square(model.singular_values_)))}


TASKS = (
    Task(
        name="pca",
        home=__name__,
        size="PCA of {n} x {p}, {k} components",
        make=factors,
        full={"n": 100_000, "p": 500, "k": 50},
        quick={"n": 500, "p": 20, "k": 3},
        contenders=(
            fitted("learnable", "learnable.decomposition:PCA", read_share, "ours"),
            fitted("scikit-learn", "sklearn.decomposition:PCA", read_share),
            fitted("scikit-learn covariance", "sklearn.decomposition:PCA", read_share, svd_solver="covariance_eigh"),
        ),
        quality=Quality("variance", lambda data, output: float(output["share"]), Near(1e-6, higher_is_better=True)),
    ),
    Task(
        name="truncated-svd-sparse",
        home=__name__,
        size="SVD of {n} x {p}, {each} entries a row, {k} components",
        make=sparse_table,
        full={"n": 50_000, "p": 50_000, "k": 50, "each": 90},
        quick={"n": 300, "p": 200, "k": 3, "each": 10},
        contenders=(
            fitted("learnable", "learnable.decomposition:TruncatedSVD", read_square, "ours", random_state=0),
            fitted("scikit-learn", "sklearn.decomposition:TruncatedSVD", read_square, random_state=0),
            fitted("scikit-learn arpack", "sklearn.decomposition:TruncatedSVD", read_square, algorithm="arpack"),
            Contender("SciPy propack", svds, lambda raw: {"square": float(np.sum(raw[1] ** 2))}, needs=("scipy",)),
        ),
        quality=Quality("squares", lambda data, output: float(output["square"]), Near(1e-4, higher_is_better=True)),
    ),
    Task(
        name="gaussian-mixture",
        home=__name__,
        size="mixture of {k} full normal components, {n} x {p}, {steps} steps",
        make=groups,
        full={"n": 100_000, "p": 16, "k": 20, "steps": 20},
        quick={"n": 500, "p": 3, "k": 3, "steps": 5},
        contenders=(
            climbed("learnable", "learnable.mixture:GaussianMixture", "ours"),
            climbed("scikit-learn", "sklearn.mixture:GaussianMixture"),
        ),
        quality=Quality("bound", lambda data, output: float(output["bound"]), Near(1e-5, higher_is_better=True)),
    ),
)
