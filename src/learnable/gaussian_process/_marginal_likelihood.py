"""The marginal likelihood of a fitted Gaussian process at given hyperparameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.runtime.context import single_threaded_blas


def marginal_likelihood(
    model: Any, inference: Callable[..., Any], theta: Any, eval_gradient: bool, clone_kernel: bool
) -> Any:
    """The log marginal likelihood of a kernel with these hyperparameters by `inference`; its gradient if requested."""
    if theta is None and eval_gradient:
        raise ValueError("Gradient can only be evaluated for theta!=None")
    if theta is None:
        return model.log_marginal_likelihood_value_
    theta = np.asarray(theta, dtype=np.float64)
    kernel = model.kernel_.clone_with_theta(theta) if clone_kernel else model.kernel_
    kernel.theta = theta
    with single_threaded_blas():
        value, gradient = inference(kernel).evaluate(kernel, eval_gradient)
    return (value, gradient) if eval_gradient else value
