"""
What networks can learn, and what not
=====================================

Linear layers collapse to one, enough units learn anything by heart, and steps are hard for smooth
functions.
"""

# %%
# Linear layers collapse
# ----------------------
# Without activation functions any number of layers is one linear function; with them two layers
# follow a curve.

import matplotlib.pyplot as plt
import numpy as np

from learnable.neural_network import Dense, NetworkRegressor, TabularNetworkRegressor

draws = np.random.default_rng(0)
x = np.linspace(-2, 2, 200)[:, None]
curve = np.sin(3 * x[:, 0])
settings = {
    "learning_rate_init": 0.02, "max_iter": 300, "batch_size": 20, "schedule": "cosine", "tol": 0,
    "random_state": 0,
}  # fmt: skip
fig, ax = plt.subplots(layout="constrained")
ax.plot(x, curve, color="#6b7280", label="target")
for kind, color in (("identity", "#e66101"), ("tanh", "#7b3294")):
    model = NetworkRegressor([Dense(16, kind), Dense(16, kind)], **settings).fit(x, curve)
    ax.plot(x, model.predict(x), color=color, linestyle="--", label=f"two layers, {kind}")
ax.set(xlabel="$x$", ylabel="$y$")
ax.legend()
plt.show()

# %%
# By heart
# --------
# 100 points in five dimensions whose targets are noise: enough units learn them all. A small
# training loss says nothing about new rows, for which the best prediction is the mean.

points, noise = draws.standard_normal((200, 5)), draws.standard_normal(200)
widths, known, new = (1, 3, 10, 30, 100), [], []
for units in widths:
    model = NetworkRegressor([Dense(units, "tanh")], **settings).fit(points[:100], noise[:100])
    known.append(model.score(points[:100], noise[:100]))
    new.append(max(model.score(points[100:], noise[100:]), -3))
fig, ax = plt.subplots(layout="constrained")
ax.semilogx(widths, known, "o-", color="#7b3294", label="training rows")
ax.semilogx(widths, new, "o-", color="#e66101", label="new rows (cut at -3)")
ax.axhline(0, color="black", linewidth=0.5)
ax.set(xlabel="hidden units", ylabel="$R^2$")
ax.legend()
plt.show()

# %%
# Steps
# -----
# Columns of tables often act by thresholds, which a plain network smooths.
# `TabularNetworkRegressor` encodes numbers by quantile bins, so that a threshold is a single
# weight.

X = draws.uniform(-2, 2, (400, 1))
y = np.floor(2 * X[:, 0]) + 0.1 * draws.standard_normal(400)
plain = NetworkRegressor([Dense(64, "relu")], **settings).fit(X, y)
table = TabularNetworkRegressor(random_state=0).fit(X, y)
fig, ax = plt.subplots(layout="constrained")
ax.scatter(X, y, s=3, color="#9ca3af")
ax.plot(x, plain.predict(x), color="#e66101", label="plain network")
ax.plot(x, table.predict(x), color="#7b3294", label="with quantile bins")
ax.set(xlabel="$x$", ylabel="$y$")
ax.legend()
plt.show()
