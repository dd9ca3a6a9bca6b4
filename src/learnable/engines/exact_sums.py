"""Sums without rounding errors: equal data give equal digits, in whatever order and parts they are added.

A sum is an integer times a power of two. It is kept as digits of 32 bits on an absolute grid, so that sums of products
of up to three numbers of double precision, subnormal ones included, are exact, and so are sums and differences of sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.validate.features import Array

BITS = 32
HALF = 1 << (BITS - 1)
LOWEST = 102  # below the lowest digit of a product of three numbers, with the sign changed


@dataclass(frozen=True, slots=True)
class ExactSums:
    """Several sums: the sum over k of digits[k] 2^(32 powers[k]), with digits in [-2^31, 2^31).

    No digit is zero in all sums, and powers ascend: this form is unique, so that equal sums have equal bytes.
    """

    powers: Array
    digits: Array

    @classmethod
    def zeros(cls, size: int) -> ExactSums:
        """Sums of nothing."""
        return cls(np.empty(0, dtype=np.int64), np.empty((0, size), dtype=np.int32))

    @classmethod
    def carried(cls, powers: Array, digits: Array) -> ExactSums:
        """The canonical form of digits of up to 62 bits; `powers` ascend."""
        kept: list[tuple[int, Array]] = []
        carry: Array = np.zeros(digits.shape[1:], dtype=np.int64)
        rows = dict(zip(powers.tolist(), digits.astype(np.int64, copy=False), strict=True))
        power = min(rows, default=0)
        while rows or carry.any():
            value = carry + rows.pop(power) if power in rows else carry
            carry = (value + HALF) >> BITS
            value = value - (carry << BITS)
            if value.any():
                kept.append((power, value.astype(np.int32)))
            power = power + 1 if carry.any() else min(rows, default=power + 1)
        if not kept:
            return cls.zeros(*digits.shape[1:])
        return cls(np.array([power for power, _ in kept], dtype=np.int64), np.stack([value for _, value in kept]))

    @property
    def size(self) -> int:
        """The number of sums."""
        return int(self.digits.shape[1])

    def __add__(self, other: ExactSums) -> ExactSums:
        return self._combined(other, 1)

    def __sub__(self, other: ExactSums) -> ExactSums:
        return self._combined(other, -1)

    def _combined(self, other: ExactSums, sign: int) -> ExactSums:
        powers = np.union1d(self.powers, other.powers)
        digits = np.zeros((len(powers), self.size), dtype=np.int64)
        digits[np.searchsorted(powers, self.powers)] = self.digits
        digits[np.searchsorted(powers, other.powers)] += sign * other.digits.astype(np.int64)
        return ExactSums.carried(powers, digits)

    def __getitem__(self, index: Any) -> ExactSums:
        """Some of the sums."""
        return ExactSums.carried(self.powers, self.digits[:, index])

    def among(self, indices: Array, size: int) -> ExactSums:
        """The sums at their `indices` among `size`, zeros elsewhere."""
        digits = np.zeros((len(self.powers), size), dtype=np.int32)
        digits[:, indices] = self.digits
        return ExactSums(self.powers, digits)

    def integers(self) -> tuple[list[int], int]:
        """The sums as integers, times 2^exponent."""
        if not len(self.powers):
            return [0] * self.size, 0
        lowest, highest = int(self.powers[0]), int(self.powers[-1]) + 1
        digits = np.zeros((self.size, highest - lowest + 1), dtype=np.int64)
        digits[:, self.powers - lowest] = self.digits.T
        for power in range(highest - lowest):  # from signed digits to two's complement
            borrow = digits[:, power] >> BITS
            digits[:, power] -= borrow << BITS
            digits[:, power + 1] += borrow
        width = 4 * digits.shape[1]
        raw = digits.astype("<u4").tobytes()
        numbers = [int.from_bytes(raw[i : i + width], "little", signed=True) for i in range(0, len(raw), width)]
        return numbers, BITS * lowest

    def fractions(self) -> list[Fraction]:
        """The sums as exact rational numbers."""
        numbers, exponent = self.integers()
        return [times_power(number, exponent) for number in numbers]

    def rounded(self) -> Array:
        """The sums rounded to the nearest double, infinite beyond the largest."""
        numbers, exponent = self.integers()
        return nearest(numbers, [1] * len(numbers), exponent)

    def flaw(self) -> str:
        """What keeps digits of a file from being canonical; empty if nothing does."""
        powers, digits = self.powers, self.digits
        if powers.dtype != np.int64 or digits.dtype != np.int32 or (powers.ndim, digits.ndim) != (1, 2):
            return "digits must be integers of 32 bits, a row for each power"
        if len(powers) != len(digits) or (np.diff(powers) <= 0).any() or not (np.abs(powers) <= 2 * LOWEST).all():
            return "powers must ascend, one for each row of digits"
        return "" if digits.any(axis=1).all() else "a digit is zero in all sums"


def times_power(number: int, exponent: int) -> Fraction:
    """number 2^exponent."""
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def nearest(numerators: Sequence[int], denominators: Sequence[int], exponent: int = 0) -> Array:
    """numerator / denominator 2^exponent, each rounded once to the nearest double; nan for 0 / 0."""
    up, down = max(exponent, 0), max(-exponent, 0)
    return np.array([_quotient(a << up, b << down) for a, b in zip(numerators, denominators, strict=True)])


def _quotient(numerator: int, denominator: int) -> float:
    if denominator == 0:
        return np.nan if numerator == 0 else np.inf
    try:
        return numerator / denominator
    except OverflowError:
        return np.inf if (numerator > 0) == (denominator > 0) else -np.inf
