"""Xi clusters of OPTICS: valleys of the reachability plot between a steep descent and a steep ascent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core import Array


@dataclass
class SteepDownArea:
    """A steep downward area, and the highest reachability between its end and the current index."""

    start: int
    end: int
    highest: float = 0.0


@dataclass(frozen=True)
class Valleys:
    """Reachability plot in the cluster ordering, followed by infinity, and the predecessor of each row.

    A step is steep if it changes the reachability by the fraction `xi`; at most `patience` consecutive steps of a steep
    area may be flat.
    """

    plot: Array
    before: Array
    order: Array
    xi: float
    patience: int
    least: int
    correct: bool

    def find(self) -> list[tuple[int, int]]:
        """First and last index of every cluster, nested clusters before those that contain them."""
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = self.plot[:-1] / self.plot[1:]
        keep = 1 - self.xi
        falls_steeply, rises_steeply = ratio >= 1 / keep, ratio <= keep
        found: list[tuple[int, int]] = []
        falls: list[SteepDownArea] = []
        here, highest = 0, 0.0
        for steep in np.flatnonzero(falls_steeply | rises_steeply).tolist():
            if steep < here:
                continue
            highest = max(highest, float(self.plot[here : steep + 1].max()))
            falls = self._update_areas(falls, highest)
            if falls_steeply[steep]:
                end = self._steep_end(falls_steeply, ratio < 1, steep)
                falls.append(SteepDownArea(steep, end))
            else:
                end = self._steep_end(rises_steeply, ratio > 1, steep)
                ending = (self._valley(fall, steep, end) for fall in falls)
                found += [valley for valley in ending if valley is not None][::-1]
            here = end + 1
            highest = float(self.plot[here])
        return found

    def _update_areas(self, falls: list[SteepDownArea], highest: float) -> list[SteepDownArea]:
        """The steep downward areas that no later point exceeds, with their highest point updated."""
        if np.isinf(highest):
            return []
        falls = [fall for fall in falls if highest <= self.plot[fall.start] * (1 - self.xi)]
        for fall in falls:
            fall.highest = max(fall.highest, highest)
        return falls

    def _steep_end(self, steep: Array, against: Array, start: int) -> int:
        """The end of a steep area: before a step in the other direction, or after too many flat steps."""
        end, flat = start, 0
        for index in range(start, len(steep)):
            if steep[index]:
                end, flat = index, 0
            elif against[index]:
                break
            else:
                flat += 1
                if flat > self.patience:
                    break
        return end

    def _valley(self, fall: SteepDownArea, rise: int, last: int) -> tuple[int, int] | None:
        """The cluster between a steep descent and an ascent that ends at `last`; None if there is none."""
        start, end, keep = fall.start, last, 1 - self.xi
        left, right = self.plot[fall.start], self.plot[last + 1]
        if right * keep < fall.highest:
            return None
        if left * keep >= right:  # the left end is higher: start where the descent reaches the height of the right end
            while self.plot[start + 1] > right and start < fall.end:
                start += 1
        elif right * keep >= left:  # the right end is higher: stop where the ascent leaves the height of the left end
            while self.plot[end - 1] > left and end > rise:
                end -= 1
        if self.correct:
            end = self._last_reached_from_inside(start, end)
        if end - start + 1 < self.least or start >= end or start > fall.end or end < rise:
            return None
        return start, end

    def _last_reached_from_inside(self, start: int, end: int) -> int:
        """The last index that is below the first, or was reached from inside; `start` if there is none."""
        while start < end:
            if self.plot[start] > self.plot[end] or self.before[end] in self.order[start:end]:
                return end
            end -= 1
        return start


def labels_of(valleys: list[tuple[int, int]], order: Array) -> Array:
    """The cluster of each row: valleys that do not overlap an earlier one; -1 for all other rows."""
    found, count = np.full(len(order), -1), 0
    for start, end in valleys:
        if (found[start : end + 1] == -1).all():
            found[start : end + 1] = count
            count += 1
    labels = np.empty_like(found)
    labels[order] = found
    return labels
