"""Models of time series: lag features, then a pipeline that was trained on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array
from ..core.declare import registry
from ..core.errors import warn
from ..core.validate.sparse_input import ChecksSparse
from .lag_features import LagFeatures, arrow_column
from .time_grid import NEVER

DELEGATED = ("steps", "classes_", "certificate_")


@registry.value
@dataclass(frozen=True)
class ForecastModel(ChecksSparse):
    """Forecasts of a time series: a fitted model on lag features of known targets.

    f(x_t) = model(x_t, lags of y up to t - horizon, calendar of t)

    `names` are the features that the model was trained on, in order. Rows further than the horizon after the last known
    target are predicted from older lags, with a warning: their errors will be larger than those of the study.

    >>> import pyarrow
    >>> from learnable import LinearRegression
    >>> from learnable.deployment import LagFeatures, TimeGrid
    >>> time, y = np.arange(8.0), np.arange(8.0) ** 1
    >>> lags = LagFeatures("t", "y", TimeGrid.of(time), lags=[1]).knowing(time, y)
    >>> X = pyarrow.table({"y: lag 1": y[:-1]})
    >>> model = ForecastModel(LinearRegression().fit(X, y[1:]), lags, ["y: lag 1"])
    >>> model.predict(pyarrow.table({"t": [8.0]})).round(6).tolist()
    [8.0]
    """

    model: Any
    lags: LagFeatures
    names: list[str]

    @property
    def feature_names_in_(self) -> Array:
        """The columns that a table must have."""
        made = self.lags.names
        given = [name for name in self.names if name not in made]
        return np.array([*given, *(name for name in self.lags.inputs if name not in given)], dtype=object)

    @property
    def n_features_in_(self) -> int:
        """The number of these columns."""
        return len(self.feature_names_in_)

    def features(self, X: Any) -> Any:
        """The features of rows as an Arrow table: their own, lags and the calendar."""
        import narwhals
        import pyarrow

        table = narwhals.from_native(X, eager_only=True).to_arrow()
        moments = arrow_column(table, self.lags.time)
        series = arrow_column(table, self.lags.series) if self.lags.series else None
        made = self.lags.columns(moments, series)
        for message in self._warnings(moments, series):
            warn(message, UserWarning)
        parts = [
            pyarrow.array(made[name], from_pandas=True) if name in made else table.column(name) for name in self.names
        ]
        return pyarrow.table(parts, names=self.names)

    def _warnings(self, moments: Array, series: Array | None) -> Iterator[str]:
        """What is wrong with rows whose features are older than those of training, or missing."""
        lags, n = self.lags, len(moments)
        late, unknown = lags.beyond(moments, series), lags.unknown(moments, series)
        if late.any():
            steps = f"{lags.horizon} {lags.grid.unit}{'s' * (lags.horizon > 1)}"
            yield (
                f"{late.sum()} of {n} rows are more than {steps} after the last known {lags.target!r}, so their lags "
                "are older than those of training and their errors will be larger; repeat the study with a larger "
                "--horizon, or with newer targets"
            )
        if unknown.any():
            timeless = int((lags.grid.steps(moments) == NEVER).sum())
            new = 0 if series is None else sum(str(one) not in lags.keys for one in series.tolist())
            counts = {"without a time": timeless, f"of an unknown {lags.series!r}": new}
            causes = [f"{count} {cause}" for cause, count in counts.items() if count]
            yield (
                f"{unknown.sum()} of {n} rows have no earlier {lags.target!r} that is known{': ' * bool(causes)}"
                f"{', '.join(causes)}; their lags are missing, and their errors will be larger"
            )

    def predict(self, X: Any) -> Array:
        """The prediction for each row."""
        return np.asarray(self.model.predict(self.features(X)))

    def _probabilities(self, X: Any) -> Array:
        return np.asarray(self.model.predict_proba(self.features(X)))

    def __getattr__(self, name: str) -> Any:
        if name in DELEGATED:
            return getattr(self.model, name)
        if name == "predict_proba" and hasattr(self.model, name):
            return self._probabilities
        raise AttributeError(f"ForecastModel has no {name}")

    def __getitem__(self, key: Any) -> Any:
        return self.model[key]

    def flaw(self) -> str:
        """The defect of a model from a file; empty if it is valid."""
        if not hasattr(self.model, "predict"):
            return "its model has no predict method"
        if not isinstance(self.lags, LagFeatures) or not all(isinstance(name, str) for name in self.names):
            return "it needs lag features and the names of features"
        return ""
