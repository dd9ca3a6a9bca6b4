"""Data in Parquet files that are read in blocks, and nothing but reading them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.task import Contender, Data, Near, Output, Quality, Task

GROUP = 131_072  # rows of a row group


def rows_of_regression(n: int, p: int) -> dict[str, Any]:
    """Normal columns, a target that is linear in them, and classes by its sign."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    score = X @ rng.standard_normal(p) / np.sqrt(p) + rng.standard_normal(n)
    return {"X": X, "y": score}


def rows_of_classes(n: int, p: int) -> dict[str, Any]:
    """The same with two classes."""
    found = rows_of_regression(n, p)
    return {"X": found["X"], "y": (found["y"] > 0).astype(np.float64)}


def rows_of_clusters(n: int, p: int, k: int) -> dict[str, Any]:
    """Rows around `k` centres."""
    rng = np.random.default_rng(0)
    centres = 3 * rng.standard_normal((k, p))
    return {"X": centres[rng.integers(0, k, n)] + rng.standard_normal((n, p)), "y": np.zeros(n), "k": k}


def written(data: Data) -> str:
    """A Parquet file of the data, in a folder that ends with the process."""
    import pyarrow
    import pyarrow.parquet

    folder = tempfile.TemporaryDirectory()
    columns = {f"x{j:03}": data["X"][:, j] for j in range(data["X"].shape[1])} | {"y": data["y"]}
    path = Path(folder.name) / "rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=GROUP, compression="zstd")
    KEPT.append(folder)
    return str(path)


KEPT: list[Any] = []


def on_scan(family: str, name: str, **options: Any) -> Contender:
    """Ours, on a scan of the file."""

    def prepare(data: Data) -> Callable[[], Any]:
        import importlib

        from learnable.scale import scan

        path, make = written(data), getattr(importlib.import_module(f"learnable.{family}"), name)
        given = {key: value(data) if callable(value) else value for key, value in options.items()}
        return lambda: make(**given).fit(scan(path, target="y"))

    return Contender("learnable, scan", prepare, read_linear, needs=("learnable", "pyarrow"), kind="ours")


def read_linear(model: Any) -> Output:
    """Coefficients, or centroids."""
    if hasattr(model, "cluster_centers_"):
        return {"centres": model.cluster_centers_}
    return {"coef": np.ravel(model.coef_), "intercept": float(np.ravel(model.intercept_)[0])}


def in_memory(label: str, family: str, name: str, kind: Any, **options: Any) -> Contender:
    """A class with a fit method, on the file read into memory."""

    def prepare(data: Data) -> Callable[[], Any]:
        import importlib

        path, make = written(data), getattr(importlib.import_module(family), name)
        given = {key: value(data) if callable(value) else value for key, value in options.items()}

        def call() -> Any:
            import pyarrow.parquet

            table = pyarrow.parquet.read_table(path)
            X = np.column_stack([table.column(j).to_numpy() for j in range(table.num_columns - 1)])
            return make(**given).fit(X, table.column("y").to_numpy())

        return call

    return Contender(label, prepare, read_linear, needs=(family.partition(".")[0], "pyarrow"), kind=kind)


def with_dask_ml(family: str, name: str, **options: Any) -> Contender:
    """dask-ml, on a Dask array of the file."""

    def prepare(data: Data) -> Callable[[], Any]:
        import importlib

        import dask.dataframe

        path, make = written(data), getattr(importlib.import_module(f"dask_ml.{family}"), name)
        given = {key: value(data) if callable(value) else value for key, value in options.items()}

        dask.config.set({"dataframe.parquet.minimum-partition-size": 0})  # which would join partitions unasked

        def call() -> Any:
            frame = dask.dataframe.read_parquet(path, split_row_groups=True)
            columns = [column for column in frame.columns if column != "y"]
            X, y = frame[columns].to_dask_array(lengths=True), frame["y"].to_dask_array(lengths=True)
            return make(**given).fit(X, y)

        return call

    return Contender("dask-ml", prepare, read_linear, needs=("dask_ml", "dask"))


def with_spark(kind: str, **options: Any) -> Contender:
    """Spark MLlib, in local mode with two threads; its start is not timed."""

    def prepare(data: Data) -> Callable[[], Any]:
        from pyspark.ml.classification import LogisticRegression
        from pyspark.ml.clustering import KMeans
        from pyspark.ml.feature import VectorAssembler
        from pyspark.ml.regression import LinearRegression
        from pyspark.sql import SparkSession

        path = written(data)
        session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
        classes = {"linear": LinearRegression, "logistic": LogisticRegression, "kmeans": KMeans}
        given = {key: value(data) if callable(value) else value for key, value in options.items()}

        def call() -> Any:
            frame = session.read.parquet(path)
            names = [column for column in frame.columns if column != "y"]
            vectors = VectorAssembler(inputCols=names, outputCol="features").transform(frame)
            label = {} if kind == "kmeans" else {"labelCol": "y"}
            return classes[kind](featuresCol="features", **label, **given).fit(vectors)

        return call

    def read(model: Any) -> Output:
        if kind == "kmeans":
            return {"centres": np.array(model.clusterCenters())}
        return {"coef": model.coefficients.toArray(), "intercept": float(model.intercept)}

    return Contender("Spark MLlib", prepare, read, needs=("pyspark",))


def merely_reading(quality: Callable[[Data], Output]) -> Contender:
    """Reading the row groups, and nothing else."""

    def prepare(data: Data) -> Callable[[], Any]:
        path, found = written(data), quality(data)

        def call() -> Any:
            import pyarrow.parquet

            with pyarrow.parquet.ParquetFile(path, pre_buffer=False) as file:
                for _ in file.iter_batches(65_536, use_threads=False):
                    pass
            return found

        return call

    return Contender("reading only", prepare, lambda found: found, needs=("pyarrow",), kind="reference")


def zero(data: Data) -> Output:
    """No model."""
    return {"coef": np.zeros(data["X"].shape[1]), "intercept": 0.0}


def residual(data: Data, output: Output) -> float:
    """Mean squared error."""
    return float(np.mean((data["y"] - data["X"] @ output["coef"] - output["intercept"]) ** 2))


def log_loss(data: Data, output: Output) -> float:
    """Mean logistic loss plus the penalty of C = 1."""
    z = data["X"] @ output["coef"] + output["intercept"]
    loss = np.logaddexp(0, z) - data["y"] * z
    return float(loss.mean() + output["coef"] @ output["coef"] / 2 / len(z))


def inertia(data: Data, output: Output) -> float:
    """Mean squared distance to the nearest centroid."""
    X, centres = data["X"], output["centres"]
    total = 0.0
    for begin in range(0, len(X), 10_000):
        block = X[begin : begin + 10_000]
        apart = (block**2).sum(axis=1)[:, None] - 2 * block @ centres.T + (centres**2).sum(axis=1)
        total += float(apart.min(axis=1).sum())
    return total / len(X)


def clusters_of(data: Data) -> int:
    """The number of clusters."""
    return int(data["k"])


TASKS = (
    Task(
        name="scan_ols",
        home=__name__,
        size="{n} x {p} in Parquet",
        make=rows_of_regression,
        full={"n": 1_000_000, "p": 20},
        quick={"n": 5_000, "p": 5},
        contenders=(
            on_scan("linear_model", "LinearRegression"),
            in_memory("learnable, in memory", "learnable.linear_model", "LinearRegression", "reference"),
            in_memory("scikit-learn, in memory", "sklearn.linear_model", "LinearRegression", "reference"),
            with_dask_ml("linear_model", "LinearRegression", solver="newton"),
            with_spark("linear", solver="normal"),
            merely_reading(zero),
        ),
        quality=Quality("mean squared error", residual, Near(1e-3)),
    ),
    Task(
        name="scan_logistic",
        home=__name__,
        size="{n} x {p} in Parquet",
        make=rows_of_classes,
        full={"n": 500_000, "p": 20},
        quick={"n": 5_000, "p": 5},
        contenders=(
            on_scan("linear_model", "LogisticRegression"),
            in_memory("learnable, in memory", "learnable.linear_model", "LogisticRegression", "reference"),
            with_dask_ml("linear_model", "LogisticRegression", solver="newton"),
            with_spark("logistic", regParam=lambda data: 1.0 / len(data["y"]), standardization=False),
        ),
        quality=Quality("objective", log_loss, Near(1e-4)),
    ),
    Task(
        name="scan_kmeans",
        home=__name__,
        size="{n} x {p}, k = {k}, in Parquet",
        make=rows_of_clusters,
        full={"n": 300_000, "p": 20, "k": 20},
        quick={"n": 5_000, "p": 5, "k": 5},
        contenders=(
            on_scan("cluster", "KMeans", n_clusters=clusters_of, random_state=0),
            in_memory("learnable, in memory", "learnable.cluster", "KMeans", "reference", n_clusters=clusters_of),
            with_dask_ml("cluster", "KMeans", n_clusters=clusters_of, random_state=0),
            with_spark("kmeans", k=clusters_of, seed=0),
        ),
        quality=Quality("mean squared distance", inertia, Near(0.3)),
    ),
)
