"""Base class of Gaussian mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import Array, Traits, declaring, learned, param
from ..engines.em import EMRun
from ..engines.generative.component_covariances import (
    Kind,
    as_full,
    covariance_shape,
    draw_normal,
    free_parameters,
    precision_triangles,
    rounding,
)
from ..engines.iterate import State
from ._mixture_base import Mixture


@declaring
class GaussianMixtureBase(Mixture):
    """Base class of Gaussian mixtures; missing values are integrated out."""

    covariance_type: Kind = param(
        "full",
        "covariances: one per component (full), shared (tied), diagonal, spherical, or fixed (identity)",
    )
    reg_covar: float = param(1e-6, "regularisation: variance added to the diagonal of the covariances", at_least=0)
    warm_start: bool = param(False, "whether to initialise with the parameters of the last fit")
    verbose: int = param(0, "accepted for compatibility; use learnable.progress()", at_least=0)
    verbose_interval: int = param(10, "accepted for compatibility", at_least=1)
    means_: Array = learned("mean of each component", shape="components features")
    covariances_: Array = learned("covariances, of the shape of covariance_type")
    precisions_: Array = learned("precisions: inverses of the covariances")
    precisions_cholesky_: Array = learned("Cholesky factors U of the precisions U U'")

    traits = Traits(missing="native")

    def _unsound(self) -> str:
        """The shape of the covariances is that of `covariance_type`."""
        shape = covariance_shape(self.covariance_type, *self.means_.shape)
        forms = (self.covariances_, self.precisions_, self.precisions_cholesky_)
        sound = all(form.shape == shape and form.dtype.kind == "f" for form in forms)
        return "" if sound else f"covariances_ and precisions must be numbers of the shape {shape}"

    @property
    def _warm_starts(self) -> bool:
        """Whether the last fit initialises this one: it needs the same number and type of components."""
        if not self.warm_start or "covariances_" not in self.__dict__:
            return False
        shape = covariance_shape(self.covariance_type, self.n_components, self.means_.shape[1])
        return len(self.means_) == self.n_components and self.covariances_.shape == shape

    def _rounding(self, parameters: State) -> float:
        """The relative rounding error of the likelihood; zero for diagonal covariances."""
        return rounding(parameters) if self.covariance_type in ("full", "tied") else 0.0

    def _store_gaussians(self, top: EMRun, dtype: Any) -> None:
        """Store the history of the best run, its means and covariances."""
        self._keep(top)
        self.means_ = top.parameters["means"].astype(dtype)
        self.covariances_ = top.parameters["covariances"].astype(dtype)
        triangles = precision_triangles(top.parameters["covariances"], self.covariance_type, type(self).__name__)
        whole = self.covariance_type in ("full", "tied")
        self.precisions_cholesky_ = triangles.astype(dtype)
        self.precisions_ = (triangles @ np.swapaxes(triangles, -1, -2) if whole else triangles**2).astype(dtype)

    def _draw(self, component: int, count: int, draws: np.random.RandomState) -> Array:
        shapes = as_full(self.covariances_, self.covariance_type, *self.means_.shape)
        return draw_normal(draws, self.means_[component], shapes[component], count, type(self).__name__)

    def _free_parameters(self) -> int:
        count, p = self.means_.shape
        return int(free_parameters(self.covariance_type, count, p) + count * p + count - 1)
