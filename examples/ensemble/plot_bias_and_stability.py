"""
What boosting and forests change: bias, variance, stability
============================================================

Boosting adds up simple models that are too simple alone, and so lowers the bias. A forest averages
complex models that are too unstable alone, and so lowers the variance.
"""

# %%
# Bias and variance
# -----------------
# Of stumps, boosted stumps, full trees and forests, over many training sets of a known function.

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    make_gaussian_quantiles,
)
from learnable.theory import NoisyFunction, bias_variance


def square(rng, n):
    return rng.uniform(-2, 2, (n, 2))


problem = NoisyFunction(lambda X: np.sin(2 * X[:, 0]) + X[:, 1], noise=0.4, draw=square)
models = {
    "stump": DecisionTreeRegressor(max_depth=1),
    "boosted stumps": GradientBoostingRegressor(max_depth=1, n_estimators=200),
    "full tree": DecisionTreeRegressor(),
    "forest": RandomForestRegressor(100, random_state=0),
}
parts = {name: bias_variance(model, problem, n=150, repeats=20, random_state=0)
         for name, model in models.items()}  # fmt: skip
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
place = np.arange(len(models))
ax.bar(place - 0.2, [p.squared_bias for p in parts.values()], 0.4, label="bias²")
ax.bar(place + 0.2, [p.variance for p in parts.values()], 0.4, label="variance")
ax.set_xticks(place, models)
ax.set_ylabel("part of the squared error")
ax.legend(frameon=False)
plt.show()

# %%
# Small changes of the training set
# ---------------------------------
# A tenth of the training rows is exchanged. A tree then predicts other classes for many new rows, a
# forest for few: averaging makes the predictor stable.

rng = np.random.default_rng(0)
X, y = make_gaussian_quantiles(n_samples=1400, n_features=6, n_classes=2, random_state=0)
new = X[900:]
changed = {"tree": [], "forest of 100": []}
for _ in range(15):
    base = rng.permutation(900)
    first, second = base[:300], np.append(base[:270], base[300:330])
    for name, model in (
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("forest of 100", RandomForestClassifier(100, random_state=0)),
    ):
        one, other = (model.clone().fit(X[rows], y[rows]).predict(new) for rows in (first, second))
        changed[name].append(np.mean(one != other))
fig, ax = plt.subplots(figsize=(5, 3.6), layout="constrained")
ax.boxplot(list(changed.values()), tick_labels=list(changed))
ax.set(ylabel="predictions that change", ylim=(0, None))
plt.show()
print({name: f"{np.mean(values):.1%}" for name, values in changed.items()})

# %%
# The weighted error rises
# ------------------------
# Each round of AdaBoost moves weight to the rows that are still misclassified. What is left is
# harder and harder for a stump: its weighted error rises towards one half, and with it the weight
# of its vote falls towards zero.

model = AdaBoostClassifier(n_estimators=200).fit(X[:900], y[:900])
fig, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
ax.plot(model.estimator_errors_, color="#2563a8", label="weighted error of the stump")
ax.plot(1 - np.array(list(model.staged_score(X[:900], y[:900]))), color="#d9730d",
        label="training error of the sum")  # fmt: skip
ax.axhline(0.5, color="#6b7280", linewidth=0.8)
ax.set(xlabel="round", ylabel="error", ylim=(0, 0.55))
ax.legend(frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 1
