"""
Exploratory data analysis
=========================

Before anything is fitted: column types, missing values, correlations, and differences between the
classes, each in a line of code.
"""

# %%
# Columns and missing values
# --------------------------
# 569 biopsies of breast tumours, with measurements of the cell nuclei in each, and the diagnosis.
# Some values of one column are removed here, as in practice.

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
# The class proportions, and the missing values:

print({name: round(float(np.mean(tumour == name)), 3) for name in ("benign", "malignant")})
missing = frame.isna().mean()
print(missing[missing > 0].round(3).to_dict())

# %%
# Correlations
# ------------
# Red is a positive, blue a negative correlation. ``mean texture`` and ``worst texture`` are nearly
# redundant: a linear model cannot decide which of them deserves the weight.

whole = frame.fillna(frame.median())
CorrelationDisplay.from_data(whole)
plt.show()

# %%
# Pairs of columns
# ----------------
# A correlation is one number; the pair plot shows what it hides: nonlinear relations, clusters,
# outliers. Colours are the classes. Radius and concavity together nearly separate them.

PairDisplay.from_data(whole[columns[:4]], tumour)
plt.show()

# %%
# Class-conditional histograms
# ----------------------------
# The histogram of a feature within each class. If the two are alike, the feature is uninformative
# by itself.

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
# As one number per feature: the cosine similarity of the two histograms, 1 if they are equal.
# Features beyond the threshold (grey) would be dropped by the filter.

DensitySimilarityDisplay.from_estimator(density)
plt.show()

# %%
# None of this may influence a model that is later evaluated on the same rows. Explore the training
# rows only, or put the filter into the pipeline, where it uses nothing else.
#
# sphinx_gallery_thumbnail_number = 2
