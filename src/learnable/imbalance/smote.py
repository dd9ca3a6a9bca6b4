"""Made-up rows of rare classes."""

from __future__ import annotations

import numpy as np

from ..core import Data, Drawn, RandomState, Trace, Traits, estimator, param
from ..core.runtime.random import stream
from ..core.validate.rows import joined_rows
from ._interpolation import Pairs, filled, joined
from ._neighbours import nearest
from ._sampler_base import Sampler


@estimator
class SMOTE(Sampler):
    """Synthetic minority oversampling (SMOTE): new rows between a minority row and one of its neighbours.

    x_new = x_i + u (x_j - x_i),    j among the k nearest of i in its class,  u uniform in [0, 1]

    Distances between all rows of the class, in single precision, the nearest few settled in double. Scale the columns
    first. A gap is a gap in the new row if the nearer parent has it. Only for training rows: rows made before a split
    leak into the test set, so put it into a Pipeline. [Chawla et al., 2002]

    >>> X, y = SMOTE(k_neighbors=1, random_state=0).fit_resample([[0.0], [1.0], [5.0], [6.0], [7.0]], [1, 1, 0, 0, 0])
    >>> y.tolist(), bool(0 <= X[-1, 0] <= 1)
    ([1, 1, 0, 0, 0, 1], True)
    """

    traits = Traits(sparse=True, storage="csr", missing="native", stochastic=True)
    direction = "over"
    title = "synthetic minority oversampling"
    reference = "Chawla et al., 2002"

    random_state: RandomState = param(None, "seed of the draws")
    k_neighbors: int = param(
        5, "number of neighbours from which the second row of an interpolation is drawn", at_least=1, tune=(3, 5, 9)
    )

    def _resample(self, data: Data, trace: Trace) -> Drawn:
        made, codes, weights = [], [], []
        for code, (label, rows) in enumerate(zip(self.classes_.tolist(), self._members(data), strict=True)):
            count = self.sampling_strategy_.get(label, 0)
            if count == 0:
                continue
            own, rng = (
                filled(data.X[rows]),
                stream(self.random_state),
            )  # a seed starts again for each class, as elsewhere
            pairs = Pairs.drawn(nearest(own, self.k_neighbors, type(self).__name__, label), count, rng)
            made.append(pairs.between(own))
            codes.append(np.full(count, code))
            weights.append(pairs.weights(None if data.weight is None else data.weight[rows]))
        kept = np.arange(data.n) if data.weight is None else np.flatnonzero(data.weight > 0)
        if not made:
            return Drawn(kept)
        rows = made[0] if len(made) == 1 else joined_rows(made)
        return Drawn(kept, rows, np.concatenate(codes), joined(weights))
