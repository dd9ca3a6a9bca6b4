"""What is settled before a study learns anything: the measure, and which rows are for what."""

from __future__ import annotations

from dataclasses import dataclass

from ..task import Question
from .dataset_view import Case
from .metric import Metric, chosen_metric
from .settings import Settings
from .splits import Division, divide


@dataclass(frozen=True, slots=True)
class Plan:
    """A question with its settings; `case` are the development rows, `locked` those for the last test."""

    question: Question
    settings: Settings
    metric: Metric
    division: Division
    whole: Case
    case: Case
    locked: Case

    @classmethod
    def of(cls, question: Question, settings: Settings) -> Plan:
        """Choose the measure and divide the rows."""
        metric, division, whole = (
            chosen_metric(question, settings.metric),
            divide(question, settings),
            Case.of(question),
        )
        case, locked = whole.rows(division.development), whole.rows(division.locked)
        return cls(question, settings, metric, division, whole, case, locked)

    @property
    def classes(self) -> int:
        """Number of classes; 0 where numbers are predicted."""
        return len(self.whole.labels)
