"""
AdaBoost, iteration by iteration
================================

A stump is a tree with one split. AdaBoost fits many stumps, each to rows reweighted according to
the errors so far, and lets them vote.
"""

# %%
# Weights after each iteration
# ----------------------------
# Points are drawn larger with their weight. Each stump (dashed) has the smallest weighted error;
# the rows that it misclassifies get more weight in the next iteration.

import matplotlib.pyplot as plt
import numpy as np

from learnable import AdaBoostClassifier, make_gaussian_quantiles
from learnable.plot import DecisionBoundaryDisplay

rng = np.random.default_rng(4)
X = rng.uniform(-1, 1, (40, 2))
y = (X[:, 0] + 0.8 * X[:, 1] ** 2 > 0.1).astype(int)
model = AdaBoostClassifier(n_estimators=3).fit(X, y)
colours = np.where(y == 1, "#d9730d", "#2563a8")
fig, axes = plt.subplots(1, 4, figsize=(13, 3.5), layout="constrained", sharex=True, sharey=True)
weight = np.full(len(y), 1 / len(y))
for t, ax in enumerate(axes[:3]):
    stump, vote, error = (
        model.estimators_[t],
        model.estimator_weights_[t] / 2,
        model.estimator_errors_[t],
    )
    ax.scatter(*X.T, c=colours, s=1600 * weight, alpha=0.75, linewidth=0)
    line = ax.axvline if stump.tree_.feature[0] == 0 else ax.axhline
    line(stump.tree_.threshold[0], color="0.25", linestyle="--", linewidth=1.2)
    ax.set_title(f"iteration {t + 1}: error {error:.2f}, weight {vote:.2f}", fontsize=10)
    missed = stump.predict(X) != y
    weight = weight * np.exp(np.where(missed, 2 * vote, 0.0))
    weight /= weight.sum()
DecisionBoundaryDisplay.from_estimator(model, X, y, ax=axes[3])
axes[3].set_title(f"all three: error {np.mean(model.predict(X) != y):.0%}", fontsize=10)
plt.show()

# %%
# The bound and the error
# -----------------------
# The training error is bounded by the product of 2 sqrt(e (1 - e)) over the iterations, and so
# tends to zero. The test error decreases for a while after that.

X, y = make_gaussian_quantiles(n_samples=1500, n_features=5, n_classes=2, random_state=0)
model = AdaBoostClassifier(n_estimators=300).fit(X[:600], y[:600])
training = 1 - np.array(list(model.staged_score(X[:600], y[:600])))
fresh = 1 - np.array(list(model.staged_score(X[600:], y[600:])))
rounds = np.arange(1, 301)
fig, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
ax.plot(rounds, model.bound_, color="0.5", linestyle="--", label="bound")
ax.plot(rounds, training, color="#2563a8", label="training error")
ax.plot(rounds, fresh, color="#d9730d", label="test error")
ax.set(xlabel="iterations", ylabel="error", ylim=(0, 0.6))
ax.legend(frameon=False)
plt.show()
