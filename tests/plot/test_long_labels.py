"""Labels that are longer than the page is wide."""

import numpy as np
import pandas as pd

from learnable import plot


def test_labels_of_constraint_regions_stay_on_the_page():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(60, 2)), columns=["mean radius at the first visit of the patient", "texture " * 6]
    )
    figure = (drawn := plot.ConstraintRegionDisplay.from_data(X, X.sum(axis=1), size=0.5)).figure_
    figure.canvas.draw()
    page = figure.bbox
    for label in (drawn.ax_.xaxis.label, drawn.ax_.yaxis.label):
        assert all(page.contains(*corner) for corner in label.get_window_extent().corners())
