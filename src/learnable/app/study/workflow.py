"""The stages of a study: audit, split, compare, rank, diagnose, test, refit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...core import Array
from ...core.files.fingerprint import fingerprint
from ...model_selection._journal import Journal, NoJournal
from ..audit import Alarm, audit, interrupted_audit
from ..table_source import TableSource
from ..task import Question, refuse_infinity
from .budget_levels import compare_candidates
from .candidates import candidates
from .cross_validation import CandidateCrossValidation
from .diagnosis import diagnose
from .final_fits import FinalFits
from .final_test import deploy, evaluate_on_test_set
from .interruption import StageRunner
from .metric import chosen_metric
from .plan import StudyPlan
from .ranking import rank
from .result import Study
from .settings import DEFAULT, StudySettings
from .time_left import AUDIT_FRACTION, Clock


def run_study(
    question: Question,
    settings: StudySettings = DEFAULT,
    *,
    journal: Journal | None = None,
    seconds: float | None = None,
    source: TableSource | None = None,
    log: Callable[[str], None] = lambda text: None,
) -> Study:
    """Audit a table, compare models on it, and evaluate the recommended one on a held-out test set.

    On the development rows every model is tuned, fitted and scored by repeated cross-validation; the simplest model
    that is statistically as good as the best is diagnosed, evaluated once on the test set, and refitted to all rows.
    """
    runner = StageRunner(Clock(seconds))
    refuse_infinity(question)
    chosen_metric(question, settings.metric)  # an unsuitable metric is refused before any work
    field, data = candidates(question, settings), data_hash(question.as_read)
    log("auditing the table")
    alarms = runner.run_or_skip(lambda: audit_table(question.as_read, settings, runner.clock), interrupted_audit)
    design = StudyPlan.of(question, settings)
    cross_validate = partial(CandidateCrossValidation, data=data, journal=journal or NoJournal(), log=log)
    plan, entries, early = runner.run_or_degrade(
        lambda: compare_candidates(design, cross_validate, field, runner.clock, runner.early)
    )
    runner.end_early(early)
    ranking = runner.run_or_degrade(lambda: rank(entries, plan))
    fits = FinalFits.of(ranking.recommended, entries, plan, runner)
    log(f"fitting {ranking.recommended} to the development rows")
    model, rows = runner.run_or_degrade(fits.fit_development)
    diagnosis = runner.run_or_degrade(lambda: diagnose(fits.entry, model, plan, log), fits.reserve)
    runner.end_early(diagnosis.early)
    log("evaluating on the test set")
    final_test = runner.run_or_degrade(lambda: evaluate_on_test_set(model, rows, fits, ranking.baseline))
    log(f"refitting {ranking.recommended} to all rows")
    deployed = runner.run_or_degrade(lambda: deploy(fits, final_test))
    if rows < plan.development.n or deployed.card["rows"] < question.n:
        runner.end_early("budget")
    return Study(
        plan, alarms, entries, ranking, fits.chosen, diagnosis, final_test, deployed, runner.early, data,
        source or TableSource(question.table.name),
    )  # fmt: skip


def audit_table(question: Question, settings: StudySettings, clock: Clock) -> list[Alarm]:
    """The alarms of a table, found within a fraction of the time that is left."""
    with clock.giving(AUDIT_FRACTION):
        return audit(question, settings.seed)


def data_hash(question: Question) -> str:
    """A fingerprint of the data: tables with equal cells have the same."""
    columns = question.table.columns.items()
    return fingerprint(*[part for name, values in columns for part in (name, *_joined(values))])


def _joined(values: Array) -> tuple[Array, ...]:
    """A text column as its characters and lengths, which needs no loop over the entries; other columns as they are."""
    entries: list[Any] = values.tolist() if values.dtype.kind == "O" else [0]
    if not set(map(type, entries)) <= {str, type(None)}:
        return (values,)
    lengths = np.array([-1 if entry is None else len(entry) for entry in entries])
    return np.frombuffer("".join(filter(None, entries)).encode(), dtype=np.uint8), lengths
