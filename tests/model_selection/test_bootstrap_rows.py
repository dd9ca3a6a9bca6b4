import numpy as np
import pytest

from learnable import draw_bootstrap
from learnable.core import ParameterError


def test_rows_are_in_the_bag_or_out_of_it():
    inside, outside = draw_bootstrap(1000, random_state=0)
    assert len(inside) == 1000 and not set(inside) & set(outside) and len({*inside, *outside}) == 1000
    assert abs(len(outside) / 1000 - np.exp(-1)) < 0.05


def test_weights_are_probabilities():
    weight = np.array([0.0, 1.0, 3.0])
    drawn = draw_bootstrap(3, size=20_000, weight=weight, random_state=1).in_bag
    np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 20_000, weight / 4, atol=0.02)
    with pytest.raises(ParameterError, match="3 numbers"):
        draw_bootstrap(3, weight=[1.0, -1.0, 0.0])
