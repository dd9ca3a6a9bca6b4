"""Draws of several chains, by name."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ..core import Array, Certificate, DataError, ModelFileError, Trace
from ._convergence import Convergence
from .diagnostics import e_bfmi
from .draws_summary import DrawsSummary


def entry_names(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of the entries of a quantity of this shape.

    >>> entry_names("theta", (2,)), entry_names("tau", ())
    (['theta[0]', 'theta[1]'], ['tau'])
    """
    return [f"{name}[{','.join(map(str, index))}]" if index else name for index in product(*map(range, shape))]


@dataclass(eq=False)
class Draws:
    """Draws of Markov chains: arrays of shape (chain, draw, ...) by the name of the quantity.

    `sample_stats` holds what the sampler recorded of every draw, under ArviZ's names: `lp` (the log density),
    `acceptance_rate`, `step_size`, `tree_depth`, `n_steps`, `diverging` and `energy`. `trace_` and `certificate_` are
    as those of a fit; the certificate holds if R-hat is at most 1.01 and the bulk and tail effective sample sizes are
    at least 400 for every quantity.

    >>> draws = Draws({"mu": np.random.default_rng(0).standard_normal((4, 500))})
    >>> draws["mu"].shape, draws.n_chains, draws.n_draws, draws.certificate_.holds
    ((4, 500), 4, 500, True)
    """

    posterior: dict[str, Array]
    sample_stats: dict[str, Array] = field(default_factory=dict)
    trace_: Trace | None = None

    def __post_init__(self) -> None:
        self.posterior = {str(name): np.asarray(values) for name, values in self.posterior.items()}
        shapes = {values.shape[:2] for values in self.posterior.values()}
        if len(shapes) != 1 or min(values.ndim for values in self.posterior.values()) < 2:
            given = {name: values.shape for name, values in self.posterior.items()}
            raise DataError(f"Draws: every quantity needs the same first axes (chain, draw, ...); got {given}")
        for name, values in self.posterior.items():
            if values.dtype.kind not in "fiub":
                raise DataError(f"Draws: {name!r} must hold real numbers; its type is {values.dtype}")
        for name, values in self.sample_stats.items():
            if values.shape[:2] != next(iter(shapes)):
                raise DataError(f"Draws: the statistic {name!r} has the shape {values.shape}, not that of the draws")

    @property
    def n_chains(self) -> int:
        """The number of chains."""
        return int(next(iter(self.posterior.values())).shape[0])

    @property
    def n_draws(self) -> int:
        """The number of draws of each chain."""
        return int(next(iter(self.posterior.values())).shape[1])

    def __getitem__(self, name: str) -> Array:
        """The draws of a quantity, (chain, draw, ...)."""
        if name not in self.posterior:
            raise KeyError(f"there are no draws of {name!r}; there are those of {', '.join(self.posterior)}")
        return self.posterior[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.posterior)

    def __contains__(self, name: object) -> bool:
        return name in self.posterior

    def flat(self, name: str) -> Array:
        """The draws of a quantity with the chains one after the other, (chain * draw, ...)."""
        values = self[name]
        return values.reshape(-1, *values.shape[2:])

    @property
    def entries(self) -> list[str]:
        """The names of all single numbers, such as theta[0]."""
        return [entry for name, values in self.posterior.items() for entry in entry_names(name, values.shape[2:])]

    def matrix(self) -> Array:
        """All numbers side by side, (chain, draw, entry)."""
        parts = [values.reshape(*values.shape[:2], -1) for values in self.posterior.values()]
        return np.concatenate(parts, axis=2)

    @property
    def convergence(self) -> Convergence:
        """R-hat and effective sample sizes of every entry."""
        return Convergence.of(self.matrix(), self.entries)

    @property
    def certificate_(self) -> Certificate:
        """Whether the chains have converged; it names the quantity that is worst."""
        found = self.convergence.certificate()
        trace = self.trace_
        if trace is None:
            return found
        trace.certificate = found
        trace.withdraw()
        return trace.certificate

    @property
    def n_diverging(self) -> int:
        """The number of divergent transitions: above 0, parts of the distribution may be missed."""
        return int(self.sample_stats["diverging"].sum()) if "diverging" in self.sample_stats else 0

    @property
    def e_bfmi(self) -> Array:
        """The energy Bayesian fraction of missing information of each chain; below 0.3 exploration is slow."""
        if "energy" not in self.sample_stats:
            raise DataError("Draws: e_bfmi needs the energies that Hamiltonian samplers record")
        return e_bfmi(self.sample_stats["energy"])

    def summary(self, interval: float = 0.94) -> DrawsSummary:
        """Mean, standard deviation, central interval, Monte Carlo errors, effective sizes and R-hat of every entry."""
        return DrawsSummary.of(self.matrix(), self.entries, interval)

    def thin(self, every: int) -> Draws:
        """Every n-th draw of each chain."""
        return self._each(lambda values: values[:, ::every])

    def discard(self, first: int) -> Draws:
        """The draws without the first of each chain."""
        return self._each(lambda values: values[:, first:])

    def _each(self, function: Any) -> Draws:
        kept = {name: function(values) for name, values in self.posterior.items()}
        return Draws(kept, {name: function(values) for name, values in self.sample_stats.items()}, self.trace_)

    def to_arviz(self) -> Any:
        """The draws for ArviZ: `InferenceData` of ArviZ 0.x, a `DataTree` of 1.x."""
        import arviz

        groups: dict[str, Any] = {"posterior": self.posterior}
        if self.sample_stats:
            groups["sample_stats"] = self.sample_stats
        old = str(arviz.__version__).startswith("0.")
        return arviz.from_dict(**groups) if old else arviz.from_dict(groups)

    def to_pandas(self) -> Any:
        """A pandas table with the columns chain, draw and every entry."""
        import pandas

        chain, draw = (index.ravel() for index in np.indices((self.n_chains, self.n_draws)))
        columns = dict(zip(self.entries, self.matrix().reshape(len(chain), -1).T, strict=True))
        return pandas.DataFrame({"chain": chain, "draw": draw, **columns})

    def save(self, path: str | Path) -> None:
        """Write the draws to a file of NumPy arrays (.npz), which `Draws.load` reads."""
        parts = {f"posterior/{name}": values for name, values in self.posterior.items()}
        parts |= {f"sample_stats/{name}": values for name, values in self.sample_stats.items()}
        np.savez(path, allow_pickle=False, **parts)

    @classmethod
    def load(cls, path: str | Path) -> Draws:
        """The draws in a file that `save` has written."""
        groups: dict[str, dict[str, Array]] = {"posterior": {}, "sample_stats": {}}
        for key, values in _arrays_of(path).items():
            group, _, name = key.partition("/")
            if group not in groups or not name or values.dtype.kind not in "fiub":
                raise ModelFileError(f"Draws: {path} has the entry {key!r:.60}; it is not a file of draws")
            groups[group][name] = values
        if not groups["posterior"]:
            raise ModelFileError(f"Draws: {path} holds no draws")
        return cls(groups["posterior"], groups["sample_stats"])

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}{list(values.shape[2:]) or ''}" for name, values in self.posterior.items())
        return f"<Draws: {self.n_chains} chains of {self.n_draws} draws of {shapes:.200}>"


def _arrays_of(path: str | Path) -> dict[str, Array]:
    """The arrays of a file of NumPy arrays; nothing in it is ever executed."""
    with open(path, "rb") as file:
        try:
            with zipfile.ZipFile(file) as packed:
                names = [name for name in packed.namelist() if name.endswith(".npy")]
                return {name[:-4]: _array_of(packed, name) for name in names}
        except (ValueError, EOFError, OSError, KeyError, NotImplementedError, RuntimeError, MemoryError,
                zipfile.BadZipFile, zlib.error) as error:  # fmt: skip
            raise ModelFileError(f"Draws: {path} is not a file of draws, or it is damaged: {error!s:.120}") from None


def _array_of(packed: zipfile.ZipFile, name: str) -> Array:
    with packed.open(name) as entry:
        found: Array = np.lib.format.read_array(entry, allow_pickle=False)
        return found
