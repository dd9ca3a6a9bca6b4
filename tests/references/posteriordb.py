"""Posteriors of posteriordb (github:stan-dev/posteriordb at 28f8d3d, BSD-3) by NUTS, against their reference means.

    python -m tests.references.posteriordb FOLDER [NAME ...]    compare; FOLDER has *.mean_value.json, *.data.json.zip
    python -m tests.references.posteriordb FOLDER --freeze      write the data and references of the ordinary tests

A mean agrees if it is within four combined Monte Carlo standard errors, sqrt(ours^2 + theirs^2).
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

PLACE = Path(__file__).with_suffix(".json")
FROZEN = ("eight_schools-eight_schools_noncentered", "mesquite-logmesquite_logvolume", "garch-garch11")
POSITIVE = (0, None)
Model = tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]
Table = dict[str, np.ndarray]


def linear(y: np.ndarray, *columns: Any, cauchy: bool = False) -> Model:
    """Normal regression with a flat prior of the coefficients, and of sigma or half Cauchy(2.5)."""
    X = np.column_stack([np.ones(len(y)), *columns])

    def log_density(beta: Any, sigma: Any) -> Any:
        fit = -0.5 * ((y - X @ beta) ** 2).sum() / sigma**2 - len(y) * np.log(sigma)
        return fit - np.log(1 + (sigma / 2.5) ** 2) if cauchy else fit

    best = np.linalg.lstsq(X, y)[0]
    return log_density, {"beta": best, "sigma": float((y - X @ best).std())}, {"sigma": POSITIVE}


def eight_schools(data: Table) -> Model:
    y, sigma = data["y"], data["sigma"]

    def log_density(theta_trans: Any, mu: Any, tau: Any) -> Any:
        residual = (y - mu - tau * theta_trans) / sigma
        return -0.5 * (residual**2 + theta_trans**2).sum() - 0.5 * (mu / 5) ** 2 - np.log(1 + (tau / 5) ** 2)

    return log_density, {"theta_trans": np.zeros(8), "mu": 0.0, "tau": 1.0}, {"tau": POSITIVE}


def known_design(data: Table) -> Model:
    X, y = data["X"], data["y"]

    def log_density(beta: Any, sigma: Any) -> Any:
        fit = -0.5 * ((y - X @ beta) ** 2).sum() / sigma**2 - len(y) * np.log(sigma)
        return fit - 0.5 * ((beta / 10) ** 2).sum() - 0.5 * (sigma / 10) ** 2

    return log_density, {"beta": np.ones(X.shape[1]), "sigma": 1.0}, {"sigma": POSITIVE}


def autoregression(data: Table) -> Model:
    y, order = data["y"], int(data["K"])
    X = np.column_stack([y[order - k : len(y) - k] for k in range(1, order + 1)])
    target = y[order:]

    def log_density(alpha: Any, beta: Any, sigma: Any) -> Any:
        fit = -0.5 * ((target - alpha - X @ beta) ** 2).sum() / sigma**2 - len(target) * np.log(sigma)
        return fit - 0.5 * (beta**2).sum() / 100 - 0.5 * alpha**2 / 100 - np.log(1 + (sigma / 2.5) ** 2)

    return log_density, {"alpha": 0.0, "beta": np.zeros(order), "sigma": 0.2}, {"sigma": POSITIVE}


def moving_average(data: Table) -> Model:
    y = data["y"]

    def log_density(mu: Any, phi: Any, theta: Any, sigma: Any) -> Any:
        error = y[0] - mu - phi * mu
        squares = error**2
        for t in range(1, len(y)):
            error = y[t] - mu - phi * y[t - 1] - theta * error
            squares = squares + error**2
        prior = -0.5 * (mu / 10) ** 2 - 0.5 * (phi / 2) ** 2 - 0.5 * (theta / 2) ** 2 - np.log(1 + (sigma / 2.5) ** 2)
        return -0.5 * squares / sigma**2 - len(y) * np.log(sigma) + prior

    return log_density, {"mu": 0.0, "phi": 0.9, "theta": 0.0, "sigma": 0.2}, {"sigma": POSITIVE}


def volatility(data: Table) -> Model:
    """GARCH(1, 1) with beta1 = (1 - alpha1) share."""
    y, first = data["y"], float(data["sigma1"])

    def log_density(mu: Any, alpha0: Any, alpha1: Any, share: Any) -> Any:
        beta1 = (1 - alpha1) * share
        variance, total = first**2, -0.5 * ((y[0] - mu) / first) ** 2
        for t in range(1, len(y)):
            variance = alpha0 + alpha1 * (y[t - 1] - mu) ** 2 + beta1 * variance
            total = total - 0.5 * (y[t] - mu) ** 2 / variance - 0.5 * np.log(variance)
        return total + np.log(1 - alpha1)

    bounds = {"alpha0": POSITIVE, "alpha1": (0, 1), "share": (0, 1)}
    return log_density, {"mu": 5.0, "alpha0": 1.0, "alpha1": 0.5, "share": 0.5}, bounds


def two_components(data: Table) -> Model:
    y = data["y"]

    def log_density(mu1: Any, gap: Any, sigma: Any, theta: Any) -> Any:
        parts = []
        for k, (mean, weight) in enumerate(((mu1, theta), (mu1 + gap, 1 - theta))):
            parts.append(np.log(weight) - np.log(sigma[k]) - 0.5 * ((y - mean) / sigma[k]) ** 2)
        mixed = (parts[0] + np.log(1 + np.exp(parts[1] - parts[0]))).sum()
        prior = -0.5 * ((mu1 / 2) ** 2 + ((mu1 + gap) / 2) ** 2) - 0.5 * ((sigma / 2) ** 2).sum()
        return mixed + prior + 4 * np.log(theta) + 4 * np.log(1 - theta)

    bounds = {"gap": POSITIVE, "sigma": POSITIVE, "theta": (0, 1)}
    return log_density, {"mu1": -2.0, "gap": 4.0, "sigma": np.ones(2), "theta": 0.5}, bounds


def diamonds(data: Table) -> Model:
    X, y = data["X"][:, 1:], data["Y"]
    X = X - X.mean(axis=0)

    def log_density(b: Any, Intercept: Any, sigma: Any) -> Any:
        fit = -0.5 * ((y - Intercept - X @ b) ** 2).sum() / sigma**2 - len(y) * np.log(sigma)
        heavy = 2 * np.log(1 + ((Intercept - 8) / 10) ** 2 / 3) + 2 * np.log(1 + (sigma / 10) ** 2 / 3)
        return fit - 0.5 * (b**2).sum() - heavy

    return log_density, {"b": np.zeros(X.shape[1]), "Intercept": 8.0, "sigma": 0.5}, {"sigma": POSITIVE}


def kid_scores(name: str, data: Table) -> Model:
    score, school, iq = data["kid_score"], data["mom_hs"], data["mom_iq"]
    if name == "mom_work":
        work = data["mom_work"]
        return linear(score, *((work == k).astype(float) for k in (2, 3, 4)))
    if name in ("momhs", "momiq", "momhsiq", "interaction"):
        columns = {"momhs": [school], "momiq": [iq], "momhsiq": [school, iq], "interaction": [school, iq, school * iq]}
        return linear(score, *columns[name], cauchy=True)
    centred = {
        "interaction_c": (school - school.mean(), iq - iq.mean()), "interaction_c2": (school - 0.5, iq - 100.0),
        "interaction_z": tuple((one - one.mean()) / (2 * one.std(ddof=1)) for one in (school, iq)),
    }[name]  # fmt: skip
    return linear(score, *centred, centred[0] * centred[1])


def earnings(name: str, data: Table) -> Model:
    earn, height, male = data["earn"], data["height"], data["male"]
    if name == "earn_height":
        return linear(earn, height)
    if name == "log10earn_height":
        return linear(np.log10(earn), height)
    z = (height - height.mean()) / height.std(ddof=1)
    columns = {
        "logearn_height": [height], "logearn_height_male": [height, male],
        "logearn_interaction": [height, male, height * male], "logearn_interaction_z": [z, male, z * male],
        "logearn_logheight_male": [np.log(height), male],
    }[name]  # fmt: skip
    return linear(np.log(earn), *columns)


def mesquite(name: str, data: Table) -> Model:
    names = ("diam1", "diam2", "canopy_height", "total_height", "density")
    first, second, canopy, total, density = (data[one] for one in names)
    group, weight = data["group"], data["weight"]
    if name == "mesquite":
        return linear(weight, first, second, canopy, total, density, group)
    logs = [np.log(one) for one in (first, second, canopy, total, density)]
    volume, area, shape = np.log(first * second * canopy), np.log(first * second), np.log(first / second)
    columns = {
        "logmesquite": [*logs, group], "logmesquite_logvolume": [volume], "logmesquite_logva": [volume, area, group],
        "logmesquite_logvash": [volume, area, shape, logs[3], group],
        "logmesquite_logvas": [volume, area, shape, logs[3], logs[4], group],
    }[name]  # fmt: skip
    return linear(np.log(weight), *columns)


def party(data: Table) -> Model:
    ages = [(data["age_discrete"] == k).astype(float) for k in (2, 3, 4)]
    rest = [data[one] for one in ("educ1", "gender", "income")]
    return linear(data["partyid7"], data["real_ideo"], data["race_adj"], *ages, *rest)


def model_of(name: str, data: Table) -> Model:
    """Log density, start and bounds of a posterior."""
    table, _, model = name.partition("-")
    families: dict[str, Any] = {
        "eight_schools": eight_schools, "sblrc": known_design, "sblri": known_design, "arK": autoregression,
        "arma": moving_average, "garch": volatility, "low_dim_gauss_mix": two_components, "diamonds": diamonds,
        "nes1972": party, "nes1980": party,
    }  # fmt: skip
    if table in families:
        model_: Model = families[table](data)
        return model_
    if table.startswith("kidiq"):
        return kid_scores(model.removeprefix("kidscore_"), data)
    return (earnings if table == "earnings" else mesquite)(model, data)


def in_terms_of_the_reference(name: str, draws: Any) -> dict[str, np.ndarray]:
    """Draws of the quantities that the reference names, (chain, draw)."""
    values = {key: draws[key] for key in draws}
    if name.startswith("eight"):
        values["theta"] = values["mu"][..., None] + values["tau"][..., None] * values["theta_trans"]
    if name.startswith("garch"):
        values["beta1"] = (1 - values["alpha1"]) * values["share"]
    if name.startswith("low_dim"):
        values["mu"] = np.stack([values["mu1"], values["mu1"] + values["gap"]], axis=2)
    found = {}
    for key, value in values.items():
        if value.ndim == 2:
            found[key] = value
        else:
            found |= {f"{key}[{k + 1}]": value[:, :, k] for k in range(value.shape[2])}
    return found


def compare(name: str, data: Table, reference: dict[str, Any], draws: int = 2500) -> tuple[float, float, Any]:
    """The largest distance of a mean and of a mean square in combined standard errors, and the draws."""
    from learnable.sampling import NUTS, monte_carlo_error

    log_density, start, bounds = model_of(name, data)
    sampler = NUTS(metric="dense" if len(reference["mean"]["names"]) < 40 else "diagonal", target_accept=0.9)
    found = sampler.sample(log_density, start, bounds=bounds, draws=draws, random_state=0)
    ours = in_terms_of_the_reference(name, found)
    worst = []
    for kind, power in (("mean", 1), ("mean_squared", 2)):
        names, values = reference[kind]["names"], reference[kind][f"{kind}_value"]
        errors = next(value for key, value in reference[kind].items() if key.startswith("mcse"))
        scores = [
            abs(ours[one].__pow__(power).mean() - value) / np.hypot(monte_carlo_error(ours[one] ** power), error)
            for one, value, error in zip(names, values, errors, strict=True)
        ]
        worst.append(float(max(scores)))
    return worst[0], worst[1], found


def load(folder: Path, name: str) -> tuple[Table, dict[str, Any]]:
    """The data of a posterior and its reference values."""
    archive = zipfile.ZipFile(folder / f"{name.partition('-')[0]}.data.json.zip")
    data = {
        key: np.asarray(value, dtype=float) for key, value in json.loads(archive.read(archive.namelist()[0])).items()
    }
    values = {
        kind: json.loads((folder / f"{name}.{kind}_value.json").read_text(encoding="utf-8"))
        for kind in ("mean", "mean_squared")
    }
    return data, values


def main() -> None:
    folder, chosen = Path(sys.argv[1]), [one for one in sys.argv[2:] if not one.startswith("-")]
    if "--freeze" in sys.argv:
        kept = {}
        for name in FROZEN:
            data, reference = load(folder, name)
            kept[name] = {"data": {key: value.tolist() for key, value in data.items()}, "reference": reference}
        PLACE.write_text(json.dumps(kept) + "\n", encoding="utf-8")
        return
    tables = {path.name.removesuffix(".data.json.zip") for path in folder.glob("*.data.json.zip")}
    names = sorted(path.name.removesuffix(".mean_value.json") for path in folder.glob("*.mean_value.json"))
    skipped = ("hmm", "bball", "gp_")
    names = [one for one in names if one.partition("-")[0] in tables and not one.startswith(skipped)]
    agreeing = 0
    for name in chosen or names:
        mean, square, draws = compare(name, *load(folder, name))
        agreeing += max(mean, square) <= 4
        found = f"means {mean:5.2f}  squares {square:5.2f}  {draws.n_diverging:3d} divergent"
        print(f"{name:48s} {found}  converged: {draws.certificate_.holds}", flush=True)
    print(f"{agreeing} of {len(chosen or names)} within four combined standard errors")


if __name__ == "__main__":
    main()
