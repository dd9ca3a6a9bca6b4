"""Messages between rows: how well one would stand for another, and how much it is wanted for that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core import Array
from ..engines.iterate import Progress, State


@dataclass(frozen=True)
class Messages:
    """The loop of affinity propagation: it is done when the rows that stand for others have not changed for a while."""

    S: Array
    damping: float
    patience: int

    def start(self) -> State:
        """No messages yet."""
        n = len(self.S)
        return {
            "responsibility": np.zeros((n, n)),
            "availability": np.zeros((n, n)),
            "chosen": np.zeros((n, self.patience), dtype=bool),
            "steps": 0,
        }

    def step(self, state: State) -> State:
        """Both kinds of messages once, each damped by what it was."""
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
        """s(i, k) - the best a(i, l) + s(i, l) of all other l."""
        rows, total = np.arange(len(self.S)), availability + self.S
        best = total.argmax(axis=1)
        first = total[rows, best]
        total[rows, best] = -np.inf
        found = self.S - first[:, None]
        found[rows, best] = self.S[rows, best] - total.max(axis=1)
        return np.asarray(found)

    def _availability(self, responsibility: Array) -> Array:
        """min(0, r(k, k) + sum of the positive r(j, k) of all other j); of a row to itself, the sum alone."""
        requested = np.maximum(responsibility, 0)
        np.fill_diagonal(requested, np.diag(responsibility))
        found = requested.sum(axis=0) - requested
        own = np.diag(found).copy()
        found = np.minimum(found, 0)
        np.fill_diagonal(found, own)
        return np.asarray(found)

    def progress(self, state: State) -> Progress:
        """The similarity of rows to those that stand for them, and the share that has not made up its mind."""
        often = state["chosen"].sum(axis=1)
        undecided = float(((often > 0) & (often < self.patience)).mean())
        waiting = state["steps"] <= self.patience or not self.exemplars(state).size
        return Progress(self._similarity(state), max(undecided, float(waiting)), 0.0)

    def exemplars(self, state: State) -> Array:
        """The rows that stand for others now."""
        return np.flatnonzero(state["chosen"][:, (state["steps"] - 1) % self.patience])

    def _similarity(self, state: State) -> float:
        chosen = self.exemplars(state)
        return float(self.S[:, chosen].max(axis=1).sum()) if chosen.size else float(self.S.min(axis=1).sum())

    def refined(self, chosen: Array) -> Array:
        """In every group the row to which all are most similar stands for it."""
        group = self.S[:, chosen].argmax(axis=1)
        group[chosen] = np.arange(len(chosen))
        members = (np.flatnonzero(group == k) for k in range(len(chosen)))
        return np.unique([rows[self.S[np.ix_(rows, rows)].sum(axis=0).argmax()] for rows in members])
