"""Message passing of affinity propagation: responsibilities and availabilities between rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.iterate import Progress, State


@dataclass(frozen=True)
class Messages:
    """The iteration of affinity propagation: converged when the exemplars were stable for `patience` iterations."""

    S: Array
    damping: float
    patience: int

    def start(self) -> State:
        """All messages are zero."""
        n = len(self.S)
        return {
            "responsibility": np.zeros((n, n)),
            "availability": np.zeros((n, n)),
            "chosen": np.zeros((n, self.patience), dtype=bool),
            "steps": 0,
        }

    def step(self, state: State) -> State:
        """One damped update of responsibilities, then of availabilities."""
        old, new = self.damping, 1 - self.damping
        responsibility = old * state["responsibility"] + new * self._responsibility(state["availability"])
        availability = old * state["availability"] + new * self._availability(responsibility)
        chosen = state["chosen"].copy()
        chosen[:, state["steps"] % self.patience] = np.diag(availability) + np.diag(responsibility) > 0
        return {
            "responsibility": responsibility,
            "availability": availability,
            "chosen": chosen,
            "steps": state["steps"] + 1,
        }

    def _responsibility(self, availability: Array) -> Array:
        """r(i, k) = s(i, k) - max over l != k of a(i, l) + s(i, l)."""
        rows, total = np.arange(len(self.S)), availability + self.S
        best = total.argmax(axis=1)
        first = total[rows, best]
        total[rows, best] = -np.inf
        found = self.S - first[:, None]
        found[rows, best] = self.S[rows, best] - total.max(axis=1)
        return np.asarray(found)

    def _availability(self, responsibility: Array) -> Array:
        """a(i, k) = min(0, r(k, k) + sum of the positive r(j, k) over other j); a(k, k) is the sum alone."""
        requested = np.maximum(responsibility, 0)
        np.fill_diagonal(requested, np.diag(responsibility))
        found = requested.sum(axis=0) - requested
        own = np.diag(found).copy()
        found = np.minimum(found, 0)
        np.fill_diagonal(found, own)
        return np.asarray(found)

    def progress(self, state: State) -> Progress:
        """The net similarity of rows to their exemplars, and the fraction of rows whose state is not stable yet."""
        often = state["chosen"].sum(axis=1)
        undecided = float(((often > 0) & (often < self.patience)).mean())
        waiting = state["steps"] <= self.patience or not self.exemplars(state).size
        return Progress(self._similarity(state), max(undecided, float(waiting)), 0.0)

    def exemplars(self, state: State) -> Array:
        """The indices of the current exemplars."""
        return np.flatnonzero(state["chosen"][:, (state["steps"] - 1) % self.patience])

    def _similarity(self, state: State) -> float:
        chosen = self.exemplars(state)
        return float(self.S[:, chosen].max(axis=1).sum()) if chosen.size else float(self.S.min(axis=1).sum())

    def refine(self, chosen: Array) -> Array:
        """Refined exemplars: in every cluster the row with the largest sum of similarities to its members."""
        labels = self.S[:, chosen].argmax(axis=1)
        labels[chosen] = np.arange(len(chosen))
        members = (np.flatnonzero(labels == k) for k in range(len(chosen)))
        return np.unique([rows[self.S[np.ix_(rows, rows)].sum(axis=0).argmax()] for rows in members])
