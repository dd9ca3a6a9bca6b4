"""A study without a target: principal components, stable clusters, outliers."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..._version import __version__
from ...core import Array, DataError
from ...core.files.atomic_write import place
from ...core.runtime.random import generator
from ...parts.confidence_intervals import student
from ..audit import Alarm, interrupted_audit
from ..table_source import TableSource
from ..task import MIN_ROWS, Question, refuse_infinity
from ..to_json import plain
from .exploration import explore
from .interruption import Early, PartRunner, StageRunner
from .result import SCHEMA
from .row_map import RowMap, map_rows
from .settings import DEFAULT, StudySettings
from .time_left import Clock
from .workflow import audit_table, data_hash

MAX_ROWS = 5000  # maximum number of rows that are clustered
MAX_CLUSTERS = 8
SUBSAMPLES = 8  # pairs of subsamples
KEPT = 0.8  # fraction of the rows in a subsample
STABLE = 0.75  # minimum adjusted Rand index of the clusterings of two subsamples
NULL_SAMPLES = 8  # uniform samples that clusterings are compared with
DISTINGUISHING = 0.25  # minimum deviation of a distinguishing feature, in standard deviations
CLUSTERING = 0.8  # fraction of a budget after which the clustering must have ended


@dataclass(frozen=True, slots=True)
class Clustering:
    """The evaluation of a number of clusters: separation, and agreement between clusterings of two subsamples.

    `null_silhouette` is an upper limit of the silhouette of uniform data; it is computed for stable clusterings only.
    """

    clusters: int
    silhouette: float
    agreement: float
    low: float
    high: float
    null_silhouette: float | None = None

    @property
    def stable(self) -> bool:
        """Whether subsamples give the same clusters."""
        return self.low >= STABLE


@dataclass(frozen=True, slots=True)
class Cluster:
    """The size of a cluster and its distinguishing features: deviations of their means in standard deviations."""

    rows: int
    features: list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class UnsupervisedStudy:
    """The result of a study without a target."""

    question: Question
    settings: StudySettings
    alarms: list[Alarm]
    explained: Array
    components: Array
    clusterings: list[Clustering]
    chosen: Clustering | None
    clusters: list[Cluster]
    labels: Array
    outliers: list[tuple[int, float]]
    early: Early
    data_hash: str
    source: TableSource
    row_map: RowMap | None = None

    @property
    def rows_used(self) -> int:
        """Number of rows that were explored: all, if the time sufficed."""
        return len(self.labels)

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if not self.clusterings and self.early:
            return f"The {self.early} came before the cluster analysis."
        if self.chosen is None:
            if any(one.stable for one in self.clusterings):
                return "No separated clusters: stable partitions, but no better separated than those of uniform data."
            return (
                "No stable clusters: resampling the rows gives different partitions, as for data without cluster "
                "structure."
            )
        one = self.chosen
        return (
            f"There are {one.clusters} clusters that are stable under resampling of the rows (adjusted Rand index "
            f"{one.agreement:.2f}, 95 % interval {one.low:.2f} to {one.high:.2f}; silhouette {one.silhouette:.2f})."
        )

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the report as an HTML page."""
        from ..report.failures import Failures
        from ..report.unsupervised_page import unsupervised_page

        failures = Failures()
        place(Path(path), unsupervised_page(self, failures).encode())
        failures.warn()

    def as_json(self) -> dict[str, Any]:
        """The study as plain values; `schema` is the version of the layout."""
        names = ("clusters", "silhouette", "agreement", "low", "high", "null_silhouette")
        found: dict[str, Any] = plain(
            {
                "schema": SCHEMA, "learnable": __version__, "task": "unsupervised", "source": self.source.name,
                "rows": self.question.n, "rows_used": self.rows_used, "hash": self.data_hash,
                "seed": self.settings.seed, "verdict": self.verdict,
                "alarms": [alarm.as_dict() for alarm in self.alarms], "explained_variance_ratio": self.explained,
                "clusterings": [{name: getattr(one, name) for name in names} for one in self.clusterings],
                "clusters": [
                    {"rows": one.rows, "distinguishing_features": dict(one.features)} for one in self.clusters
                ],
                "outliers": [{"row": row, "score": score} for row, score in self.outliers],
                "partial": bool(self.early), "map": None if self.row_map is None else self.row_map.as_dict(),
            }
        )  # fmt: skip
        return found


def run_unsupervised(
    question: Question,
    settings: StudySettings = DEFAULT,
    *,
    seconds: float | None = None,
    source: TableSource | None = None,
    log: Callable[[str], None] = lambda text: None,
) -> UnsupervisedStudy:
    """Find clusters and outliers in a table without a target."""
    if question.n < MIN_ROWS:
        count = f"{question.n} row{'s' * (question.n != 1)}"
        raise DataError(f"{question.table.name} has {count}; a study needs at least {MIN_ROWS}")
    refuse_infinity(question)
    clock = Clock(seconds)
    runner = StageRunner(clock)
    log("auditing the table")
    alarms = runner.run_or_skip(lambda: audit_table(question, settings, clock), interrupted_audit)
    explored, early = runner.run_or_degrade(lambda: explore(question, settings.seed, log, runner.clock, runner.early))
    few = np.sort(generator(settings.seed).permutation(len(explored.rows))[:MAX_ROWS])
    run_part = PartRunner("interrupt" if early == "interrupt" else "")
    with clock.keeping((1 - CLUSTERING) * clock.seconds if clock.limited else 0.0):
        counts = range(2, _most_clusters(few) + 1)
        tried = [
            run_part(partial(_evaluate_clustering, explored.components[few], count, settings.seed, log), None)
            for count in counts
        ]
        row_map = run_part(partial(map_rows, explored.components, settings.seed, log), None)
    clusterings = [one for one in tried if one is not None]
    chosen = _chosen(clusterings)
    labels = _labels(explored.components, few, chosen, settings.seed)
    clusters = _clusters(explored.encoded, labels, explored.names) if chosen else []
    return UnsupervisedStudy(
        question, settings, alarms, explored.explained, explored.components[:, :2], clusterings, chosen, clusters,
        labels, explored.outliers,
        run_part.early or early, data_hash(question), source or TableSource(question.table.name), row_map,
    )  # fmt: skip


def _most_clusters(rows: Array) -> int:
    return min(MAX_CLUSTERS, len(rows) // 10)


def _evaluate_clustering(rows: Array, count: int, seed: int, log: Callable[[str], None]) -> Clustering:
    """k-means with a number of clusters on pairs of subsamples: the agreement of their clusterings of all rows."""
    from ...cluster import KMeans
    from ...metrics import adjusted_rand_score, silhouette_score

    log(f"clustering into {count} clusters")
    agreements = []
    for draw in range(SUBSAMPLES):
        found = []
        for half in range(2):
            chosen = generator(seed, count, draw, half).permutation(len(rows))[: int(KEPT * len(rows))]
            found.append(KMeans(count, n_init=3, random_state=seed).fit(rows[chosen]).predict(rows))
        agreements.append(adjusted_rand_score(*found))
    labels = KMeans(count, n_init=5, random_state=seed).fit_predict(rows)
    several = len(np.unique(labels)) > 1
    score = float(silhouette_score(rows, labels)) if several else 0.0
    values = np.array(agreements)
    low, high = student(values) if np.ptp(values) > 0 else (values[0], values[0])
    one = Clustering(count, score, float(values.mean()), max(float(low), -1.0), min(float(high), 1.0))
    return replace(one, null_silhouette=_null_silhouette(rows, count, seed)) if one.stable else one


def _null_silhouette(rows: Array, count: int, seed: int) -> float:
    """An upper limit of the silhouette of k-means on uniform data over the same ranges, which have no clusters.

    Partitions of uniform data may be stable too, because of its corners; the idea is that of the gap statistic.
    [Tibshirani et al., 2001]
    """
    from ...cluster import KMeans
    from ...metrics import silhouette_score

    low, high, found = rows.min(axis=0), rows.max(axis=0), []
    for draw in range(NULL_SAMPLES):
        uniform = generator(seed, count, draw, 2).uniform(low, high, rows.shape)
        labels = KMeans(count, n_init=3, random_state=seed).fit_predict(uniform)
        found.append(float(silhouette_score(uniform, labels)))
    return float(np.mean(found) + 3 * np.std(found, ddof=1))


def _chosen(clusterings: list[Clustering]) -> Clustering | None:
    """Of the stable clusterings that are better separated than uniform data, the best separated; None without any."""
    stable = [one for one in clusterings if one.null_silhouette is not None and one.silhouette > one.null_silhouette]
    return max(stable, key=lambda one: one.silhouette) if stable else None


def _labels(components: Array, few: Array, chosen: Clustering | None, seed: int) -> Array:
    """The clusters of all rows, from a model fitted to the sample that was clustered."""
    from ...cluster import KMeans

    if chosen is None:
        return np.zeros(len(components), dtype=int)
    return np.asarray(KMeans(chosen.clusters, n_init=5, random_state=seed).fit(components[few]).predict(components))


def _clusters(rows: Array, labels: Array, names: list[str]) -> list[Cluster]:
    spread = rows.std(axis=0)
    found = []
    for label in np.unique(labels):
        inside = labels == label
        shift = (rows[inside].mean(axis=0) - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        order = np.argsort(-np.abs(shift), kind="stable")[:5]
        features = [
            (names[j], float(shift[j])) for k, j in enumerate(order) if not k or abs(shift[j]) >= DISTINGUISHING
        ]
        found.append(Cluster(int(inside.sum()), features))
    return found
