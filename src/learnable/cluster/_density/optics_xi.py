"""Valleys of a reachability plot: groups begin where it falls steeply and end where it rises steeply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array


@dataclass
class Fall:
    """A stretch on which the plot falls steeply, and the highest point between its end and where we are."""

    begin: int
    end: int
    highest: float = 0.0


@dataclass(frozen=True)
class Valleys:
    """The plot in the order of the visit, an infinite point behind it, and who was visited from whom.

    A step is steep if it changes the height by the share `xi`; `patience` steps that are not may interrupt a stretch.
    """

    plot: Array
    before: Array
    order: Array
    xi: float
    patience: int
    least: int
    correct: bool

    def find(self) -> list[tuple[int, int]]:
        """First and last place of every group, small ones before those that hold them."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = self.plot[:-1] / self.plot[1:]
        keep = 1 - self.xi
        falls_steeply, rises_steeply = ratio >= 1 / keep, ratio <= keep
        found: list[tuple[int, int]] = []
        falls: list[Fall] = []
        here, highest = 0, 0.0
        for steep in np.flatnonzero(falls_steeply | rises_steeply).tolist():
            if steep < here:
                continue
            highest = max(highest, float(self.plot[here : steep + 1].max()))
            falls = self._still_open(falls, highest)
            if falls_steeply[steep]:
                end = self._stretch(falls_steeply, ratio < 1, steep)
                falls.append(Fall(steep, end))
            else:
                end = self._stretch(rises_steeply, ratio > 1, steep)
                ending = (self._valley(fall, steep, end) for fall in falls)
                found += [valley for valley in ending if valley is not None][::-1]
            here = end + 1
            highest = float(self.plot[here])
        return found

    def _still_open(self, falls: list[Fall], highest: float) -> list[Fall]:
        """The falls that no point since was nearly as high as, told how high points were."""
        if np.isinf(highest):
            return []
        falls = [fall for fall in falls if highest <= self.plot[fall.begin] * (1 - self.xi)]
        for fall in falls:
            fall.highest = max(fall.highest, highest)
        return falls

    def _stretch(self, steep: Array, against: Array, begin: int) -> int:
        """Where a steep stretch ends: before a step in the other direction, or after too many that are not steep."""
        end, flat = begin, 0
        for place in range(begin, len(steep)):
            if steep[place]:
                end, flat = place, 0
            elif against[place]:
                break
            else:
                flat += 1
                if flat > self.patience:
                    break
        return end

    def _valley(self, fall: Fall, rise: int, last: int) -> tuple[int, int] | None:
        """The group between a fall and a rise that ends at `last`; None if it is none."""
        begin, end, keep = fall.begin, last, 1 - self.xi
        left, right = self.plot[fall.begin], self.plot[last + 1]
        if right * keep < fall.highest:
            return None
        if left * keep >= right:  # the left rim is higher: begin where the fall comes to the height of the right one
            while self.plot[begin + 1] > right and begin < fall.end:
                begin += 1
        elif right * keep >= left:  # the right rim is higher: end where the rise leaves the height of the left one
            while self.plot[end - 1] > left and end > rise:
                end -= 1
        if self.correct:
            end = self._visited_from_inside(begin, end)
        if end - begin + 1 < self.least or begin >= end or begin > fall.end or end < rise:
            return None
        return begin, end

    def _visited_from_inside(self, begin: int, end: int) -> int:
        """The last place that is below the first, or was visited from inside; `begin` if there is none."""
        while begin < end:
            if self.plot[begin] > self.plot[end] or self.before[end] in self.order[begin:end]:
                return end
            end -= 1
        return begin


def labels_of(valleys: list[tuple[int, int]], order: Array) -> Array:
    """The group of each row: valleys count unless a part of them is in one already; -1 for all others."""
    placed, count = np.full(len(order), -1), 0
    for begin, end in valleys:
        if (placed[begin : end + 1] == -1).all():
            placed[begin : end + 1] = count
            count += 1
    labels = np.empty_like(placed)
    labels[order] = placed
    return labels
