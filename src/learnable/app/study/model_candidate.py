"""A model that a study compares: how it is made, its hyperparameter grid, and the tables that suit it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .settings import StudySettings

UNLIMITED = 10**9
TOPICS = 50  # columns of the truncated SVD of a text
FEW_ROWS = 1000  # below this many training rows: grid search instead of successive halving
FIRST_ROWS = FEW_ROWS // 2  # of the first round of successive halving


@dataclass(frozen=True, slots=True)
class ModelCandidate:
    """A model by name; candidates earlier in the list are simpler.

    `grid` is the hyperparameter grid; a table with more training rows than `most_rows` is not suitable.
    """

    name: str
    make: Callable[[int], Any]
    grid: dict[str, list[Any]] = field(default_factory=dict)
    more: dict[str, list[Any]] = field(default_factory=dict)  # in a thorough study
    most_rows: int = UNLIMITED
    baseline: bool = False  # uses no feature
    always: bool = False  # whichever models are requested
    columns: dict[str, str] | None = None  # types of columns that the encoder need not infer
    sparse: bool = False  # takes many sparse columns, such as the n-grams of texts
    of_sparse: dict[str, Any] = field(default_factory=dict)  # parameters for these
    encoded: bool = True  # whether it needs features that are numbers
    column: str = ""  # the only feature of a baseline

    def pipeline(self, seed: int) -> Any:
        """The pipeline of the encoder and the model."""
        import learnable as L

        if not self.encoded:
            return L.Pipeline([("table", "passthrough"), ("model", self.make(seed))])
        encoder = L.TableVectorizer(self.columns, random_state=seed, **self._text_options())
        model = self.make(seed).set_params(**self.of_sparse if encoder.sparse_output else {})
        return L.Pipeline([("table", encoder), ("model", model)])

    def _text_options(self) -> dict[str, Any]:
        """How the encoder treats free text: as sparse n-grams, or by few dense columns."""
        if "text" not in (self.columns or {}).values():
            return {}
        return {"text": "ngrams", "sparse_output": True} if self.sparse else {"text": "svd", "n_components": TOPICS}

    def space(self, settings: StudySettings) -> dict[str, list[Any]]:
        """The hyperparameter grid, by the names in the pipeline."""
        chosen = {**self.grid, **(self.more if settings.effort == "thorough" else {})}
        return {f"model__{name}": values for name, values in chosen.items()} if settings.searches else {}

    def searched(self, settings: StudySettings, rows: int, halving: bool) -> list[tuple[int, int]]:
        """The fits of a search on a number of rows: their counts and their numbers of training rows.

        Each round of successive halving has twice the rows and half the parameter combinations of the one before.
        """
        tried = math.prod(len(values) for values in self.space(settings).values())
        if tried < 2:
            return []
        rounds = range(1 + int(math.log2(min(tried, rows // FIRST_ROWS)))) if halving else ()
        turns = [(math.ceil(tried / 2**k), 2**k * FIRST_ROWS) for k in rounds] or [(tried, rows)]
        folds = settings.inner_folds
        return [(folds * some, round(of * (folds - 1) / folds)) for some, of in turns]
