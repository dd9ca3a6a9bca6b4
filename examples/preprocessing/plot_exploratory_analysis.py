"""
A first look at a table
=======================

Before anything is fitted: what do the columns hold, what is missing, which columns go together,
and which of them differ between the classes? Five looks, each a line of code.
"""

# %%
# What is there
# -------------
# 569 biopsies of breast tumours, with measurements of the cell nuclei in each, and what
# the tumour turned out to be. Some entries of one column are removed here, as they would be in
# life.

import matplotlib.pyplot as plt
import numpy as np

from learnable.datasets import Dataset, load_breast_cancer
from learnable.feature_selection import ConditionalDensityFilter
from learnable.plot import CorrelationDisplay, DensitySimilarityDisplay, PairDisplay

bunch = load_breast_cancer(as_frame=True)
columns = ["mean radius", "mean texture", "mean smoothness", "mean concavity", "mean symmetry",
           "smoothness error", "worst texture", "worst fractal dimension"]  # fmt: skip
frame = bunch.data[columns].copy()
frame.loc[frame.index[::23], "mean texture"] = np.nan
tumour = np.where(bunch.target == 0, "malignant", "benign")
table = Dataset.of({**frame.to_dict("list"), "tumour": tumour}, target="tumour", name="biopsies")
print(table)

# %%
# The share of each class, and of what is missing:

print({name: round(float(np.mean(tumour == name)), 3) for name in ("benign", "malignant")})
missing = frame.isna().mean()
print(missing[missing > 0].round(3).to_dict())

# %%
# Which columns go together
# -------------------------
# Red rises together, blue falls against. ``mean texture`` and ``worst texture`` say nearly the
# same: a linear model will not know which of them to give the weight to.

whole = frame.fillna(frame.median())
CorrelationDisplay.from_data(whole)
plt.show()

# %%
# Pairs of columns
# ----------------
# A correlation is one number; the pair plot shows what it hides: curves, clusters, far rows. In
# colour are the classes. Radius and concavity together nearly separate them.

PairDisplay.from_data(whole[columns[:4]], tumour)
plt.show()

# %%
# Column by column, class by class
# --------------------------------
# The histogram of a column within each class. Where the two are alike, the column says nothing by
# itself.

density = ConditionalDensityFilter(bins=24, threshold=0.9).fit(whole, tumour)
fig, axes = plt.subplots(2, 4, figsize=(9.6, 4.6), layout="constrained")
for j, ax in enumerate(axes.flat):
    for k, (name, colour) in enumerate((("benign", "#2563a8"), ("malignant", "#d9730d"))):
        ax.stairs(density.densities_[j, k], density.bin_edges_[j], fill=True, alpha=0.5,
                  color=colour, label=name)  # fmt: skip
    ax.set_title(f"{columns[j]}\nsimilarity {density.similarities_[j]:.2f}", fontsize=9)
    ax.set_yticks([])
    ax.locator_params(axis="x", nbins=4)
    ax.spines[["top", "right", "left"]].set_visible(False)
axes[0, 0].legend(fontsize=8)
plt.show()

# %%
# As one number for each column: the cosine between the two histograms, 1 where they are the same.
# Columns beyond the threshold (grey) would be left out by the filter.

DensitySimilarityDisplay.from_estimator(density)
plt.show()

# %%
# None of this may decide anything that is later judged on the same rows. Look at the training rows,
# or put the filter into the pipeline, where it sees nothing else.
#
# sphinx_gallery_thumbnail_number = 2
