"""What is fixed before a study fits anything: the metric, and which rows are for development and for the test."""

from __future__ import annotations

from dataclasses import dataclass

from ..task import Question
from .dataset_view import DatasetView
from .metric import Metric, chosen_metric
from .settings import StudySettings
from .splits import DevelopmentTestSplit, split_rows


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """A question with its settings, its metric, its split, and views of the rows of each part of the split."""

    question: Question
    settings: StudySettings
    metric: Metric
    split: DevelopmentTestSplit
    all_rows: DatasetView
    development: DatasetView
    test_set: DatasetView

    @classmethod
    def of(cls, question: Question, settings: StudySettings) -> StudyPlan:
        """Choose the metric and split the rows."""
        metric, split = chosen_metric(question, settings.metric), split_rows(question, settings)
        all_rows = DatasetView.of(question)
        development, test_set = all_rows.rows(split.development), all_rows.rows(split.test_rows)
        return cls(question, settings, metric, split, all_rows, development, test_set)

    @property
    def classes(self) -> int:
        """Number of classes; 0 in regression."""
        return len(self.all_rows.labels)
