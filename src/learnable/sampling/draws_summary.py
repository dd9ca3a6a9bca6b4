"""Summary of draws as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Array, ParameterError
from .diagnostics import MIN_DRAWS, effective_sample_size, monte_carlo_error, r_hat


@dataclass(frozen=True, eq=False)
class DrawsSummary:
    """A row for every quantity: moments, central interval, Monte Carlo errors, effective sizes and R-hat.

    >>> draws = np.random.default_rng(0).standard_normal((4, 500, 1))
    >>> print(DrawsSummary.of(draws, ["mu"], 0.9))
            mean  sd      5%    95%  mcse_mean  mcse_sd  ess_bulk  ess_tail  r_hat
    mu  -0.02803   1  -1.636  1.599    0.02233  0.01546      2003      2056  1.001
    """

    names: list[str]
    columns: dict[str, Array]

    @classmethod
    def of(cls, draws: Array, names: list[str], interval: float) -> DrawsSummary:
        """Of draws (chain, draw, entry)."""
        if not 0 < interval < 1:
            raise ParameterError(f"summary: interval must be between 0 and 1; got {interval!r:.40}")
        low, high = (1 - interval) / 2, (1 + interval) / 2
        columns = {
            "mean": draws.mean(axis=(0, 1)), "sd": draws.std(axis=(0, 1), ddof=1),
            f"{100 * low:g}%": np.quantile(draws, low, axis=(0, 1)),
            f"{100 * high:g}%": np.quantile(draws, high, axis=(0, 1)),
        }  # fmt: skip
        if draws.shape[1] >= MIN_DRAWS:
            columns |= {
                "mcse_mean": monte_carlo_error(draws), "mcse_sd": monte_carlo_error(draws, "sd"),
                "ess_bulk": effective_sample_size(draws), "ess_tail": effective_sample_size(draws, "tail"),
                "r_hat": r_hat(draws),
            }  # fmt: skip
        return cls(names, columns)

    def __getitem__(self, name: Any) -> Any:
        """The row of a quantity as a dict."""
        if name not in self.names:
            raise KeyError(f"there is no quantity {name!r}; there are {', '.join(self.names):.200}")
        k = self.names.index(name)
        return {column: float(values[k]) for column, values in self.columns.items()}

    def to_pandas(self) -> Any:
        """The table as a pandas DataFrame with the names as index."""
        import pandas

        return pandas.DataFrame(self.columns, index=self.names)

    def __str__(self) -> str:
        shown = {name: [f"{value:.{0 if 'ess' in name else 4}{'f' if 'ess' in name else 'g'}}" for value in values]
                 for name, values in self.columns.items()}  # fmt: skip
        first = max(map(len, self.names), default=0)
        widths = {name: max(len(name), *map(len, cells)) for name, cells in shown.items()}
        rows = ["  ".join([" " * first, *(f"{name:>{width}}" for name, width in widths.items())])]
        for k, name in enumerate(self.names):
            rows.append("  ".join([f"{name:<{first}}", *(f"{shown[c][k]:>{w}}" for c, w in widths.items())]))
        return "\n".join(rows)
