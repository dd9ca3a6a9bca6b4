"""
Label propagation
=================

One label for each of two moons is enough, if labels spread along similar rows.
"""

# %%
# Two moons
# ---------
# Only the two large points have labels. A classifier of the labelled rows alone can only draw a
# straight line between them; label propagation follows the moons.

import matplotlib.pyplot as plt
import numpy as np

from learnable import LabelPropagation, LogisticRegression, make_moons

X, truth = make_moons(300, noise=0.06, random_state=0)
y = np.full(300, -1)
labelled = [int(np.argmin(X[:, 0])), int(np.argmax(X[:, 0]))]
y[labelled] = truth[labelled]
straight = LogisticRegression().fit(X[labelled], y[labelled]).predict(X)
spread = LabelPropagation(gamma=60).fit(X, y).transduction_
fig, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", sharey=True)
for ax, labels, name in zip(
    axes, (straight, spread), ("two labels alone", "propagated"), strict=True
):
    colours = np.array(["#2563a8", "#c2410c"])[labels]
    ax.scatter(*X.T, s=10, c=colours)
    ax.scatter(*X[labelled].T, s=140, c=["#2563a8", "#c2410c"], edgecolor="black", zorder=3)
    ax.set_title(f"{name}: accuracy {np.mean(labels == truth):.2f}", fontsize=10)
    ax.set(aspect="equal")
plt.show()
