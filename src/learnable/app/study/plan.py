"""What is fixed before a study fits anything: the metric, and which rows are for development and for the test."""

from __future__ import annotations

from dataclasses import dataclass

from ..task import Question
from .dataset_view import DatasetView
from .metric import Metric, chosen_metric
from .settings import Settings
from .splits import Split, split_rows


@dataclass(frozen=True, slots=True)
class Plan:
    """A question with its settings, its metric, its split, and views of the rows of each part of the split."""

    question: Question
    settings: Settings
    metric: Metric
    split: Split
    all_rows: DatasetView
    development: DatasetView
    test_set: DatasetView

    @classmethod
    def of(cls, question: Question, settings: Settings) -> Plan:
        """Choose the metric and split the rows."""
        metric, split = chosen_metric(question, settings.metric), split_rows(question, settings)
        all_rows = DatasetView.of(question)
        development, test_set = all_rows.rows(split.development), all_rows.rows(split.test_rows)
        return cls(question, settings, metric, split, all_rows, development, test_set)

    @property
    def classes(self) -> int:
        """Number of classes; 0 in regression."""
        return len(self.all_rows.labels)
