"""The coefficient table of a linear fit: estimates, standard errors, tests, intervals, and the quality of the whole."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypedDict

import numpy as np

from ..core import Array
from ..core.errors import DataError, ModelFileError, ParameterError
from ..core.numeric import EPSILON
from ..core.validate.columns import numbered_names
from ..engines.sparse_coefficients import dense


class Statistics(TypedDict):
    """Statistics of the table: plain numbers and arrays, which a model file can hold."""

    weight: float
    rank: int
    freedom: float
    condition: float
    deviation: Array
    total_deviation: Array
    root_inverse: Array | None
    intercept_root: float
    intercept: bool
    positive: bool
    penalised: bool
    log_precision: float


PENALISED = (
    "The coefficients are shrunk by a penalty (effective degrees of freedom {freedom:.2f}): classical t and p values "
    "do not apply. The standard errors describe the spread of the shrunk estimates, not their distance from the truth."
)
CONSTRAINED = "The coefficients are held at zero or above: classical standard errors do not apply."
NOT_UNIQUE = (
    "The columns are not independent, or there are more of them than rows: coefficients have no standard errors."
)
NOTHING_LEFT = (
    "There are no residual degrees of freedom, as rows, each counted by its weight, are {rows:g} in all and "
    "coefficients {count}: the noise cannot be estimated, so coefficients have no standard errors."
)
UNVARIED = "Without standard error, because constant: {names}."
CONSTANT = "The target is constant: there is nothing to explain, so R² and tests are not defined."
PERFECT = (
    "The fit is perfect up to rounding: the residuals measure rounding and not noise, so t, p and likelihoods are "
    "not shown."
)
VANISHING = 5e-4  # what three decimals show as zero
EXPONENT_FROM = 1e9  # from here on numbers are written with a power of ten
ROUNDING = 1e-12  # what is left of a target, as a share of its spread, when a fit is perfect
LABELS = {
    "r_squared": "R²",
    "adjusted_r_squared": "adjusted R²",
    "d_squared": "D²",
    "residual_sd": "residual standard deviation",
    "f": "F statistic",
    "f_p": "P(> F)",
    "pearson_chi2": "Pearson chi²",
    "log_likelihood": "log-likelihood",
    "aic": "AIC",
    "bic": "BIC",
    "degrees_of_freedom": "residual degrees of freedom",
    "condition_number": "condition number of the scaled columns",
}


@dataclass(frozen=True)
class Summary:
    """A coefficient table: `table` has the columns name, coef, std_err, then t or z, p, low, high."""

    title: str
    table: dict[str, Any]
    facts: dict[str, float]
    level: float
    notes: list[str] = field(default_factory=list)
    centred: bool = True

    def __getattr__(self, name: str) -> float:
        """The facts as attributes: `summary.r_squared`."""
        if name in self.__dict__.get("facts", {}):
            return float(self.__dict__["facts"][name])
        raise AttributeError(f"this summary has no {name!r}; it has {', '.join(self.__dict__.get('facts', {}))}")

    @property
    def headings(self) -> dict[str, str]:
        """The printed column headings."""
        tail = (1 - self.level) / 2
        words = {
            "name": "",
            "coef": "coef",
            "std_err": "std err",
            "t": "t",
            "z": "z",
            "low": f"[{tail:g}",
            "high": f"{1 - tail:g}]",
            "odds_ratio": "odds ratio",
            "odds_low": f"[{tail:g}",
            "odds_high": f"{1 - tail:g}]",
        }
        words["p"] = "P>|t|" if "t" in self.table else "P>|z|"
        return {column: words[column] for column in self.table}

    def _known(self) -> list[tuple[str, float]]:
        """The labels and values of the facts that are not NaN."""
        labels = LABELS | (
            {"condition_number": "condition number of the centred, scaled columns"} if self.centred else {}
        )
        known = ((name, value) for name, value in self.facts.items() if not np.isnan(value))
        return [(labels.get(name, name.replace("_", " ")), value) for name, value in known]

    def _cells(self) -> list[list[str]]:
        """The table in fixed decimals; by powers of ten where the standard error of a row would vanish in them."""
        errors = self.table["std_err"] if "p" in self.table else np.full(len(self.table["name"]), np.nan)
        faint = (np.asarray(errors) > 0) & (np.asarray(errors) < VANISHING)
        columns = [_column(column, values, faint) for column, values in self.table.items()]
        return [list(row) for row in zip(*columns, strict=True)]

    def __str__(self) -> str:
        rows = [list(self.headings.values()), *self._cells()]
        widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.ljust(w) if j == 0 else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        rule = "-" * len(lines[0])
        facts = "   ".join(f"{label} {_number(value)}" for label, value in self._known())
        return "\n".join([self.title, rule, lines[0], rule, *lines[1:], rule, _wrapped(facts, len(rule)), *self.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(word)}</th>" for word in self.headings.values())
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()
        )
        facts = "".join(f"<li>{html.escape(label)}: {_number(value)}</li>" for label, value in self._known())
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{html.escape(self.title)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
            f"<ul>{facts}</ul>{notes}"
        )

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a data frame of `library`, pandas or polars."""
        import importlib

        frame: Any = importlib.import_module(library).DataFrame(self.table)
        return frame


def check_level(level: float) -> None:
    """Refuse a confidence level outside of (0, 1)."""
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ParameterError(f"summary: level must be between 0 and 1, such as 0.95; got {level!r}")


def summarise(model: Any, level: float) -> Summary:
    """The summary of a fitted least-squares model with one target."""
    check_level(level)
    if "statistics_" not in model.__dict__:
        from ..core.errors import not_fitted

        raise not_fitted(model)
    if model.coef_.ndim == 2 and len(model.coef_) > 1:
        raise DataError(
            f"{type(model).__name__}.summary needs one target; this model has {len(model.coef_)}: fit them one by one"
        )
    facts = model.statistics_
    _check_facts(model, facts)
    coef_roots = facts["root_inverse"]
    names, coef = coefficients(model)
    free = facts["weight"] - facts["freedom"] - int(facts["intercept"])
    deviation, total = float(facts["deviation"][0]), float(facts["total_deviation"][0])
    spread = deviation / np.sqrt(free) if free > 0 else np.nan
    table: dict[str, Any] = {"name": names, "coef": coef}
    quality = _quality(facts, deviation, total, free, facts["intercept"])
    notes = _exceptions(model, deviation, total)
    if notes:
        quality |= dict.fromkeys(("f", "f_p", "log_likelihood", "aic", "bic"), np.nan)
    if notes == [CONSTANT]:
        quality |= dict.fromkeys(("r_squared", "adjusted_r_squared"), np.nan)
    elif facts["positive"]:
        notes.append(CONSTRAINED)
        del quality["f"], quality["f_p"]
    elif coef_roots is None or facts["rank"] < model.n_features_in_ - unknown(facts):
        notes.append(NOT_UNIQUE)
    elif not free > 0:
        notes.append(NOTHING_LEFT.format(rows=facts["weight"], count=len(coef)))
    else:
        table["std_err"] = spread * root_of(coef_roots, facts["intercept_root"], model)
        if facts["penalised"]:
            notes.append(PENALISED.format(freedom=facts["freedom"]))
            del quality["f"], quality["f_p"]
        elif not notes:
            table |= _tests(coef, table["std_err"], free, level)
        notes += unvaried(table)
    return Summary(f"{model!r}, {rows(facts)}", table, quality, level, notes, facts["intercept"])


def _check_facts(model: Any, facts: Statistics) -> None:
    """Refuse statistics, read from a file, that are not those of the targets of the model."""
    sizes = [facts["deviation"], facts["total_deviation"]]
    numbers = [facts[name] for name in ("weight", "rank", "freedom", "intercept_root", "log_precision")]
    roots = facts.get("root_inverse")
    single = all(np.ndim(number) == 0 for number in numbers) and all(np.shape(size) == (1,) for size in sizes)
    if not single or (roots is not None and np.asarray(roots).dtype.kind != "f"):
        raise DataError(f"{type(model).__name__}.summary: statistics_ are not those of one target; fit it again")


def rows(facts: Any) -> str:
    """The number of rows, or their total weight."""
    return f"{facts['weight']:g} row{'' if facts['weight'] == 1 else 's'}"


def unknown(facts: Any) -> int:
    """The number of constant columns, whose coefficients are not estimated parameters."""
    coef_roots = facts.get("root_inverse")
    return 0 if coef_roots is None else int(np.isnan(coef_roots).sum())


def unvaried(table: dict[str, Any]) -> list[str]:
    """A note about columns without a standard error while others have one."""
    names = [name for name, error in zip(table["name"], table["std_err"], strict=True) if np.isnan(error)]
    return [UNVARIED.format(names=", ".join(names))] if names else []


def _exceptions(model: Any, deviation: float, total: float) -> list[str]:
    """A note about a constant target, or a perfect fit."""
    size = abs(float(np.ravel(model.intercept_)[0])) * np.sqrt(model.statistics_["weight"])
    if model.fit_intercept and total <= 4 * EPSILON * size:
        return [CONSTANT]
    return [PERFECT] if 0 <= deviation <= max(ROUNDING * total, 4 * EPSILON * size) else []


def root_of(coef_roots: Array, intercept: float, model: Any) -> Array:
    """Standard errors for unit noise, that of the intercept first if there is one."""
    if np.shape(coef_roots) != (model.n_features_in_,):
        raise ModelFileError(
            f"{type(model).__name__}.summary: statistics_ has {np.size(coef_roots)} columns, but the model has "
            f"{model.n_features_in_}; fit it again"
        )
    return np.append(intercept, coef_roots) if model.fit_intercept else coef_roots


def coefficients(model: Any) -> tuple[list[str], Array]:
    """Names and values, the intercept first."""
    given = model.__dict__.get("feature_names_in_")
    names = (
        numbered_names(type(model).__name__, model.n_features_in_) if given is None else [str(name) for name in given]
    )
    coef = np.ravel(dense(model.coef_)).astype(np.float64)
    if not model.fit_intercept:
        return names, coef
    return ["const", *names], np.append(np.ravel(model.intercept_)[:1], coef)


def _tests(coef: Array, std_err: Array, free: float, level: float) -> dict[str, Array]:
    """Student t statistics, two-sided p values, and the interval at `level`."""
    from scipy.special import stdtr, stdtrit

    with np.errstate(divide="ignore", invalid="ignore"):
        t = coef / std_err
    reach = stdtrit(free, (1 + level) / 2) * std_err
    return {"t": t, "p": 2 * stdtr(free, -np.abs(t)), "low": coef - reach, "high": coef + reach}


def _quality(facts: Statistics, deviation: float, total: float, free: float, centred: bool) -> dict[str, float]:
    """R², adjusted R², residual standard deviation, F with its p value, log-likelihood, AIC, BIC, condition number."""
    from scipy.special import fdtrc

    weight, freedom = np.float64(facts["weight"]), facts["freedom"]  # which overflows without an error
    unexplained = (np.float64(deviation) / total) ** 2 if total > 0 else np.nan
    spread = deviation / np.sqrt(free) if free > 0 else np.nan
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        f_value = (1 - unexplained) / freedom / (unexplained / free) if free > 0 and freedom > 0 else np.nan
        likelihood = -weight / 2 * (np.log(2 * np.pi) + 2 * np.log(deviation) - np.log(weight) + 1)
        likelihood += facts["log_precision"] / 2
    parameters = freedom + int(centred)
    return {
        "r_squared": 1 - unexplained,
        "adjusted_r_squared": 1 - unexplained * (weight - int(centred)) / free if free > 0 else np.nan,
        "residual_sd": spread,
        "f": f_value,
        "f_p": float(fdtrc(freedom, free, f_value)) if np.isfinite(f_value) else np.nan,
        "log_likelihood": likelihood,
        "aic": 2 * parameters - 2 * likelihood,
        "bic": np.log(weight) * parameters - 2 * likelihood,
        "degrees_of_freedom": free,
        "condition_number": float(np.sqrt(facts["condition"])),
    }


def _column(name: str, values: Any, faint: Array) -> list[str]:
    """A column of the table as texts; `faint` marks the rows of small numbers."""
    if name == "name":
        return [str(value) for value in values]
    digits, powers = 4 if name == "coef" else 3, faint & (name in ("coef", "std_err", "low", "high"))
    if name.startswith("odds"):  # which are far from one, not near zero, where they have no decimals left
        powers = (np.asarray(values) > 0) & (np.asarray(values) < VANISHING)
    return [_cell(value, digits, power) for value, power in zip(values, powers.tolist(), strict=True)]


def _cell(value: float, digits: int, power: bool) -> str:
    """A number of the table; one with very many digits is written with a power of ten, too."""
    if np.isnan(value):
        return ""
    return f"{value:.{digits}e}" if power or abs(value) >= EXPONENT_FROM else f"{value:.{digits}f}"


def _number(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.6g}"


def _wrapped(text: str, width: int) -> str:
    lines, line = [], ""
    for part in text.split("   "):
        if line and len(line) + len(part) + 3 > width:
            lines.append(line)
            line = part
        else:
            line = f"{line}   {part}" if line else part
    return "\n".join([*lines, line])
