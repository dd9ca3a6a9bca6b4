"""Methods that an estimator has only under a condition, under the path where people look for them."""

from ..core.sklearn_api.conditional_methods import available_if as available_if
