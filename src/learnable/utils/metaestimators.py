"""Methods that an estimator has only under a condition, under the path where people look for them."""

from ..core.available import available_if as available_if
