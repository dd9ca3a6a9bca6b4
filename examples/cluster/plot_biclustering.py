"""
Biclustering
============

Rows and columns of a table are clustered together. Shuffled, the planted structure cannot be seen;
reordered by the labels that were found, it is blocks on the diagonal, or a checkerboard.
"""

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    SpectralBiclustering,
    SpectralCoclustering,
    consensus_score,
    make_biclusters,
    make_checkerboard,
)

# %%
# Blocks on the diagonal
# ----------------------
# Spectral co-clustering: each row and each column is in exactly one bicluster.

blocks, in_rows, in_columns = make_biclusters((120, 80), 4, noise=8, random_state=0)
coclusters = SpectralCoclustering(4, random_state=0).fit(blocks)
print(
    "agreement with the planted biclusters:",
    consensus_score(coclusters.biclusters_, (in_rows, in_columns)),
)


def draw(table, model, title):
    """The table as it came, and with its rows and columns in the order of their clusters."""
    order = (
        np.argsort(model.row_labels_, kind="stable"),
        np.argsort(model.column_labels_, kind="stable"),
    )
    figure, axes = plt.subplots(1, 2, figsize=(7, 4), layout="constrained")
    for ax, entries, name in zip(
        axes, (table, table[np.ix_(*order)]), ("as it came", "reordered"), strict=True
    ):
        image = ax.imshow(entries, cmap="viridis", aspect="auto")
        ax.set(title=name, xlabel="column", ylabel="row")
    figure.colorbar(image, ax=axes, label="entry")
    figure.suptitle(title)


draw(blocks, coclusters, "Spectral co-clustering")

# %%
# A checkerboard
# --------------
# Spectral biclustering: every pair of a cluster of rows and a cluster of columns is a bicluster.

board, in_rows, in_columns = make_checkerboard((120, 80), (4, 3), noise=8, random_state=0)
checkered = SpectralBiclustering((4, 3), random_state=0).fit(board)
print(
    "agreement with the planted checkerboard:",
    consensus_score(checkered.biclusters_, (in_rows, in_columns)),
)
draw(board, checkered, "Spectral biclustering")
plt.show()
