"""
Five users and six films
========================

A small table completed by similar users and by factors, and a map of users and films.
"""

# %%
# The table
# ---------
# Most cells are empty. Users who share a film are compared by it.

import matplotlib.pyplot as plt
import numpy as np

from learnable.recommend import MatrixFactorization, UserKNN

films = ["SW1", "SW2", "BM", "TW", "HP1", "HP2"]
ratings = {
    "A": {"SW1": 4, "TW": 4},
    "B": {"SW1": 5, "SW2": 5, "BM": 5},
    "C": {"HP1": 4, "BM": 5},
    "D": {"TW": 5},
    "E": {"SW2": 5, "HP1": 5, "HP2": 5},
}
X = [[user, film] for user, row in ratings.items() for film in row]
y = [float(value) for row in ratings.values() for value in row.values()]
cells = [[user, film] for user in ratings for film in films]

neighbours = UserKNN(similarity="cosine").fit(X, y)
factors = MatrixFactorization(2, solver="als", reg=0.1, max_iter=100, random_state=0).fit(X, y)

fig, axes = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
given = np.full((5, 6), np.nan)
for user, film in X:
    given["ABCDE".index(user), films.index(film)] = ratings[user][film]
tables = (given, neighbours.predict(cells).reshape(5, 6), factors.predict(cells).reshape(5, 6))
for ax, table, title in zip(
    axes, tables, ("ratings", "by similar users", "by factors"), strict=True
):
    ax.imshow(table, vmin=3, vmax=5.5, cmap="viridis")
    for i, j in np.argwhere(np.isfinite(table)):
        ax.text(
            j,
            i,
            f"{table[i, j]:.1f}",
            ha="center",
            va="center",
            color="white" if table[i, j] < 4.6 else "black",
        )
    ax.set(xticks=range(6), yticks=range(5), title=title)
    ax.set_xticklabels(films, rotation=60)
    ax.set_yticklabels(ratings)
plt.show()

# %%
# A map of users and films
# ------------------------
# Two directions of factors without biases: a user likes the films that lie in the same direction.

plain = MatrixFactorization(
    2, solver="als", biased=False, reg=0.3, max_iter=200, random_state=0
).fit(X, y)
users, items = plain.map_2d()
fig, ax = plt.subplots(figsize=(5, 4.2), layout="constrained")
for points, names, colour in ((users, plain.users_, "C0"), (items, plain.items_, "C3")):
    ax.scatter(*points.T, color=colour)
    for point, name in zip(points, names, strict=True):
        ax.annotate(str(name), point, xytext=(4, 4), textcoords="offset points", color=colour)
ax.axhline(0, color="0.8", zorder=0)
ax.axvline(0, color="0.8", zorder=0)
ax.set(title="users (blue) and films (red)", xlabel="factor 1", ylabel="factor 2")
plt.show()
