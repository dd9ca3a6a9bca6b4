"""The summary of a study without a target in a few sentences."""

from __future__ import annotations

from ..text import counted, percent
from .story import Story
from .unsupervised import STABLE, UnsupervisedStudy

UNUSUAL = 0.7  # isolation forest score above which a row is worth inspecting; 0.5 is average


def write_story(study: UnsupervisedStudy) -> Story:
    """The summary of a study without a target."""
    return Story(_question(study), _result(study), _uncertainty(study), _advice(study))


def variance_of_two(study: UnsupervisedStudy) -> float:
    """The fraction of the variance that the first two principal components explain."""
    return float(study.explained[:2].sum())


def _question(study: UnsupervisedStudy) -> str:
    rows, columns = study.question.n, counted(len(study.question.features), "column")
    question = f"Which clusters and outliers are there in {rows} rows with {columns}? No target column was given."
    some = f" The time sufficed for a random sample of {study.rows_used} rows."
    return question + some * (study.rows_used < rows)


def _result(study: UnsupervisedStudy) -> str:
    explained = f"Two principal components explain {percent(variance_of_two(study), 0)} of the variance."
    if study.chosen is None:
        return f"{study.verdict} {explained}"
    *sizes, last = [str(cluster.rows) for cluster in study.clusters]
    return f"There are {study.chosen.clusters} clusters, of {', '.join(sizes)} and {last} rows. {explained}"


def _uncertainty(study: UnsupervisedStudy) -> str:
    one = study.chosen
    if one is not None:
        return (
            f"Clusterings of two random subsamples of 80 % of the rows agree with an adjusted Rand index of "
            f"{one.agreement:.2f} (95 % confidence interval {one.low:.2f} to {one.high:.2f}; 1 is perfect). The "
            f"silhouette is {one.silhouette:.2f}; uniform data without clusters stay below {one.null_silhouette:.2f}."
        )
    if not study.clusterings:
        return f"Unknown: the {study.early} came first."
    best = max(study.clusterings, key=lambda clustering: clustering.low)
    agreed = (
        f"The most stable number of clusters is {best.clusters}: clusterings of two subsamples agree with an adjusted "
        f"Rand index of {best.agreement:.2f} (95 % confidence interval {best.low:.2f} to {best.high:.2f}; its lower "
        f"end must be at least {STABLE})."
    )
    if best.null_silhouette is None:
        return agreed
    return (
        f"{agreed} However, the silhouette is {best.silhouette:.2f}, and uniform data without clusters reach "
        f"{best.null_silhouette:.2f}."
    )


def _advice(study: UnsupervisedStudy) -> list[str]:
    """What to do next, the most important first."""
    found = [f"{alarm.code}: {alarm.fix}" for alarm in study.alarms if alarm.level == "severe"]
    if study.early:
        how = {"budget": "increase --budget", "interrupt": "run it to completion"}[study.early]
        found.append(f"The {study.early} came before the study was complete: {how}.")
    row, score = study.outliers[0]
    if score >= UNUSUAL:
        found.append(f"Inspect row {row}, the strongest outlier, and the other rows in the list of outliers.")
    if study.chosen is not None:
        found.append("Check whether the distinguishing features below are the differences that matter to you.")
    elif study.clusterings:
        stable = any(one.stable for one in study.clusterings)
        why = "the stable partitions are not separated" if stable else "the partition depends on the sample"
        found.append(f"Do not divide these rows into clusters: {why}.")
    return [*found, "To predict a column, name it with --target."]
