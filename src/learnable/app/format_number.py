"""Number formats of reports."""

from __future__ import annotations

from math import isfinite

EXPONENT_FROM = 1e12  # from which on exponents are used


def figure(value: float, digits: int = 3, sign: str = "") -> str:
    """A number with significant digits, without an exponent up to `EXPONENT_FROM`; `sign="+"` shows a plus sign.

    >>> figure(254321.7), figure(0.012345), figure(54900.0, sign="+"), figure(2e-9), figure(0.5)
    ('254000', '0.0123', '+54900', '2e-09', '0.5')
    """
    text = f"{value:{sign}.{digits}g}"
    return f"{float(text):{sign}.0f}" if isfinite(value) and 1 <= abs(value) < EXPONENT_FROM and "e" in text else text
