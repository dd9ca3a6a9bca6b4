"""
A fit by passes over blocks
===========================

Rows in files, with more of them than memory holds, are cut into leaves of equal length. Workers
summarise leaves in any order; summaries are added along a fixed binary tree. So the model is the
same, bit for bit, for any number of workers.
"""

# %%
# The tree of a source with eleven leaves, read by three workers.

import matplotlib.pyplot as plt
import numpy as np

leaves, workers = 11, np.array([0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2])
colours = ["#0072b2", "#e69f00", "#009e73"]
fig, ax = plt.subplots(figsize=(8, 4))
nodes = [(float(leaf), 0) for leaf in range(leaves)]
level = 0
while len(nodes) > 1:
    level += 1
    parents = []
    for left, right in zip(nodes[::2], nodes[1::2], strict=False):
        parent = ((left[0] + right[0]) / 2, level)
        for child in (left, right):
            ax.plot([child[0], parent[0]], [child[1], parent[1]], color="0.6", zorder=1)
        parents.append(parent)
    if len(nodes) % 2:
        parents.append(nodes[-1])  # without a sibling: it waits for the end
    inner = [node for node in parents if node[1] == level]
    ax.scatter(*zip(*inner, strict=True), s=160, color="white", edgecolor="0.3", zorder=2)
    nodes = parents
for worker, colour in enumerate(colours):
    own = np.flatnonzero(workers == worker)
    ax.scatter(
        own,
        np.zeros(len(own)),
        s=260,
        marker="s",
        color=colour,
        zorder=2,
        label=f"worker {worker + 1}",
    )
for leaf in range(leaves):
    ax.annotate(str(leaf), (leaf, 0), ha="center", va="center", color="white", zorder=3)
ax.annotate("model", nodes[0], xytext=(0, 14), textcoords="offset points", ha="center")
ax.set(
    ylim=(-0.7, level + 0.7),
    yticks=[],
    xticks=[],
    xlabel="leaves of 65 536 rows, in the order of the source",
)
ax.legend(frameon=False, loc="upper left")
for side in ("top", "right", "left"):
    ax.spines[side].set_visible(False)
plt.show()

# %%
# The same regression on rows that come in batches of any size, and on the table in memory.

from learnable import Ridge
from learnable.scale import scan

rng = np.random.default_rng(0)
X = rng.normal(size=(200_000, 5))
y = X @ [1.0, 2.0, 0.0, -1.0, 0.5] + rng.normal(size=200_000)


def batches(size):
    """Pairs of rows and targets."""
    return lambda: (
        (X[begin : begin + size], y[begin : begin + size]) for begin in range(0, len(X), size)
    )


models = {size: Ridge().fit(scan(batches(size))) for size in (1000, 12_345, 200_000)}
print({size: model.coef_.tobytes().hex()[:16] for size, model in models.items()})
print(np.abs(models[1000].coef_ - Ridge().fit(X, y).coef_).max())
