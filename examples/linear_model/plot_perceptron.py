"""
The perceptron
==============

The perceptron finds a hyperplane that separates two classes by the simplest of rules: while some
row is misclassified, move the hyperplane towards it.
"""

# %%
# A hyperplane and its normal vector
# ----------------------------------
# The points with w·x + b = 0 form a hyperplane, a line here. w is its normal vector, and the signed
# distance of a row is (w·x + b) / \|w\|: positive on the side to which w points.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import Perceptron, Pocket
from learnable.svm import LinearSVC

w, b = np.array([1.0, 2.0]), -2.0
length = np.linalg.norm(w)
foot = -b * w / length**2
row = np.array([2.0, 2.2])
distance = (row @ w + b) / length

fig, ax = plt.subplots(figsize=(5.6, 4.6))
line = np.array([-1.0, 4.0])
ax.plot(line, -(b + w[0] * line) / w[1], color="black")
ax.fill_between(line, -(b + w[0] * line) / w[1], 4, color="C0", alpha=0.08)
ax.fill_between(line, -(b + w[0] * line) / w[1], -1, color="C1", alpha=0.08)
ax.annotate("", foot + w / length, foot, arrowprops={"arrowstyle": "-|>", "color": "C3", "lw": 2})
ax.text(*(foot + w / length + [0.08, -0.05]), "w / |w|", color="C3")
ax.plot(*np.array([row, row - distance * w / length]).T, color="#6b7280", linestyle=":")
ax.plot(*row, "o", color="C0")
ax.text(row[0] + 0.1, row[1], f"x: distance {distance:.2f}")
ax.text(2.5, -0.2, "w·x + b = 0", rotation=-27)
ax.set(
    xlim=(-1, 4),
    ylim=(-1, 4),
    aspect="equal",
    xlabel="$x_1$",
    ylabel="$x_2$",
    title="a line and its normal vector",
)
plt.show()

# %%
# The update rule
# ---------------
# With classes -1 and 1, the update for a misclassified row is w ← w + y x and b ← b + y. If the
# classes are linearly separable, the perceptron stops after at most (R / γ)² mistakes, where R is
# the norm of the longest row and γ the maximum margin. Which separating hyperplane it finds depends
# on the order of the rows.

rng = np.random.default_rng(1)
X = np.vstack(
    [rng.normal(size=(40, 2)) * 0.8 + [2.0, 2.0], rng.normal(size=(40, 2)) * 0.8 - [1.0, 0.8]]
)
y = np.repeat([1, 0], 40)


def draw_line(ax, model, **style):
    """The line on which a model's score is zero."""
    ends = np.array([-4.0, 6.0])
    (a, c), d = model.coef_[0], model.intercept_[0]
    ax.plot(ends, -(d + a * ends) / c, **style)


def draw_rows(ax, X, y):
    """Rows of two classes."""
    ax.plot(*X[y == 1].T, "o", color="C0", markersize=4)
    ax.plot(*X[y == 0].T, "s", color="C1", markersize=4)


fig, axes = plt.subplots(1, 2, figsize=(9.4, 4.2))
draw_rows(axes[0], X, y)
for seed in range(8):
    model = Perceptron(random_state=seed, tol=None, max_iter=20).fit(X, y)
    draw_line(axes[0], model, color="#6b7280", linewidth=0.9)
widest = LinearSVC(loss="hinge", C=np.inf, intercept_scaling=100.0).fit(X, y)
draw_line(
    axes[0], widest, color="C3", linewidth=2.2, label="maximum margin (support vector machine)"
)
axes[0].plot([], [], color="#6b7280", linewidth=0.9, label="perceptron, eight orders of the rows")
axes[0].set(xlim=(-4, 5), ylim=(-4, 5), title="many lines separate these classes")
axes[0].legend(loc="lower left", fontsize=8)

close = np.vstack([X, [[0.4, 0.9], [0.2, 0.5]]])
labels = np.append(y, [0, 1])
apart = Perceptron(random_state=0, tol=None, max_iter=40).fit(X, y)
never = Perceptron(random_state=0, tol=None, max_iter=40).fit(close, labels)
axes[1].step(np.arange(1, 41), apart.mistakes_, where="mid", label="linearly separable classes")
axes[1].step(np.arange(1, 41), never.mistakes_, where="mid", label="not linearly separable")
axes[1].set(xlabel="epoch", ylabel="mistakes", title="mistakes in each epoch", yticks=range(7))
axes[1].set_ylim(-0.2, 6.2)
axes[1].legend()
plt.show()
print("mistakes until convergence:", apart.mistakes_.sum())

# %%
# The pocket
# ----------
# If the classes are not linearly separable the perceptron never converges, and it may stop at a bad
# moment. The pocket algorithm makes the same updates but keeps the best hyperplane so far. A good
# initialisation, such as least squares on -1 and 1, saves many iterations.

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 2))
y = (X @ [1.0, -0.7] + 0.5 * rng.normal(size=120) > 0).astype(int)
fig, ax = plt.subplots(figsize=(6.4, 4.0))
model = Pocket(max_iter=150, random_state=0).fit(X, y)
started = Pocket(max_iter=150, start="least_squares", random_state=0).fit(X, y)
ax.plot(model.trace_["now"], color="#6b7280", linewidth=0.7, label="perceptron")
ax.plot(model.trace_["objective"], linewidth=2, label="pocket")
ax.plot(
    started.trace_["objective"], "--", linewidth=2, label="pocket, initialised by least squares"
)
ax.set(xlabel="iteration", ylabel="error rate", ylim=(0, 0.6))
ax.legend()
plt.show()

# %%
# Boolean functions
# -----------------
# A single perceptron can represent AND, OR and NOT, but not the exclusive or (XOR): no line has (0,
# 1) and (1, 0) on one side and (0, 0) and (1, 1) on the other.

corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
gates = {"and": [0, 0, 0, 1], "or": [0, 1, 1, 1], "exclusive or": [0, 1, 1, 0]}
for name, outputs in gates.items():
    gate = Perceptron(tol=None, max_iter=100).fit(corners, outputs)
    said, mistakes = gate.predict(corners), gate.mistakes_[-1]
    print(f"{name:>12}: predicts {said}, mistakes in the last epoch: {mistakes}")
# sphinx_gallery_thumbnail_number = 2
