"""
Training a neural network
=========================

How a decision boundary changes during training, when to stop, and what the learning rate does.
"""

# %%
# From a line to a curve
# ----------------------
# The exclusive or: no line separates the classes. A network with eight hidden units begins with an
# almost linear boundary; then its units turn to where they help.

import matplotlib.pyplot as plt
import numpy as np

from learnable.neural_network import Dense, NetworkClassifier

draws = np.random.default_rng(0)
X = draws.uniform(-1, 1, (300, 2))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
grid = np.linspace(-1, 1, 150)
points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)

model = NetworkClassifier(
    [Dense(8, "tanh")], learning_rate_init=0.02, batch_size=32, random_state=3
)
fig, axes = plt.subplots(1, 4, figsize=(10, 2.7), sharey=True, layout="constrained")
epochs = 0
for ax, stop in zip(axes, (1, 8, 25, 120), strict=True):
    while epochs < stop:
        model.partial_fit(X, y, classes=[0, 1])
        epochs += 1
    surface = model.predict_proba(points)[:, 1].reshape(150, 150)
    ax.contourf(grid, grid, surface, levels=np.linspace(0, 1, 11), cmap="PuOr", alpha=0.7)
    ax.contour(grid, grid, surface, levels=[0.5], colors="black")
    ax.scatter(*X.T, c=np.where(y == 1, "#7b3294", "#e66101"), s=4)
    ax.set(title=f"{stop} epochs: {model.score(X, y):.0%}", xlabel="$x_1$", aspect="equal")
axes[0].set_ylabel("$x_2$")
plt.show()

# %%
# When to stop
# ------------
# With noisy labels a large network learns the training rows by heart: the training loss falls on,
# the validation loss rises. Early stopping ends training after a number of epochs without progress
# and restores the best weights.

noisy = np.where(draws.random(300) < 0.15, 1 - y, y)
model = NetworkClassifier(
    [Dense(128, "relu"), Dense(128, "relu")], learning_rate_init=0.003, batch_size=16,
    validation_scoring="loss", n_iter_no_change=60, random_state=0,
)  # fmt: skip
model.fit(X[:100], noisy[:100], X_val=X[100:], y_val=noisy[100:])
validation = -np.array(model.validation_scores_)
best = int(validation.argmin())
fig, ax = plt.subplots()
ax.plot(np.arange(1, len(validation) + 1), model.loss_curve_, label="training loss")
ax.plot(np.arange(1, len(validation) + 1), validation, label="validation loss")
ax.axvline(best + 1, color="#6b7280", linestyle=":")
ax.annotate(
    "best weights", (best + 1, validation[best]), xytext=(8, 30), textcoords="offset points"
)
ax.set(xlabel="epoch", ylabel="cross-entropy", ylim=(0, 1))
ax.legend()
plt.show()

# %%
# The learning rate
# -----------------
# Too small a rate takes for ever, too large a one never settles. A schedule that lowers the rate to
# zero (here a cosine) has both: long steps at first, short ones at the end.

fig, ax = plt.subplots()
settings = {
    "batch_size": 32,
    "max_iter": 60,
    "tol": 0.0,
    "n_iter_no_change": 1000,
    "random_state": 0,
}
for rate, schedule in ((0.003, "constant"), (0.1, "constant"), (1.0, "constant"), (0.3, "cosine")):
    model = NetworkClassifier(
        [Dense(16, "tanh")], learning_rate_init=rate, schedule=schedule, **settings
    )
    model.partial_fit(X, y, classes=[0, 1])
    for _ in range(59 if schedule == "constant" else 0):
        model.partial_fit(X, y)
    curve = model.loss_curve_ if schedule == "constant" else model.fit(X, y).loss_curve_
    ax.plot(np.arange(1, 61), curve, label=f"{schedule}, {rate:g}")
ax.set(xlabel="epoch", ylabel="training loss", yscale="log")
ax.legend(title="learning rate")
plt.show()
