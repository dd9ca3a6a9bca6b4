"""
Linear, one-versus-rest and softmax classification
==================================================

Three ways to several classes with linear scores, what each of them minimises, and why regression of
indicators is a bad classifier.
"""

# %%
# Linear against logistic regression on classes
# ---------------------------------------------
# With three classes in a row, least squares on indicators masks the class in the middle: its score
# is nowhere the largest. And rows far on the right side count as errors of a regression: they turn
# the boundary of two classes, while logistic regression ignores them.

import matplotlib.pyplot as plt
import numpy as np

from learnable import GradientDescentClassifier, LeastSquaresClassifier, LogisticRegression
from learnable.plot import DecisionBoundaryDisplay

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(60, 2)) * 0.8 + centre for centre in ([-4, -3], [0, 0], [4, 3])])
y = np.repeat([0, 1, 2], 60)
near = np.vstack([rng.normal(size=(60, 2)) + [-1.5, 0], rng.normal(size=(60, 2)) + [1.5, 0]])
far = np.vstack([near, rng.normal(size=(25, 2)) * 0.5 + [9, -7]])
two = np.repeat([0, 1], 60)
fig, axes = plt.subplots(2, 2, figsize=(8.4, 7), layout="constrained")
for row, (table, target) in enumerate(((X, y), (far, np.append(two, np.ones(25, dtype=int))))):
    for ax, model in zip(axes[row], (LeastSquaresClassifier(), LogisticRegression()), strict=True):
        model.fit(table, target)
        DecisionBoundaryDisplay.from_estimator(model, table, target, ax=ax)
        ax.set_title(f"{type(model).__name__}: {model.score(table, target):.0%}", fontsize=10)
plt.show()

# %%
# One versus rest against softmax
# -------------------------------
# One versus rest fits a logistic regression per class and ignores how the others do; softmax moves
# all coefficients together and minimises the cross-entropy of the classes. Normalised
# probabilities of the separate fits have a larger cross-entropy, above all where classes lie
# between others.

models = {
    "one versus rest": LogisticRegression(strategy="ovr", C=10.0),
    "softmax": LogisticRegression(C=10.0),
}


def cross_entropy(model, table, target):
    return -np.mean(np.log(model.predict_proba(table)[np.arange(len(target)), target]))


fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    model.fit(X, y)
    line = np.linspace(-7, 7, 200)
    proba = model.predict_proba(np.column_stack([line, 0.75 * line]))
    for k in range(3):
        ax.plot(line, proba[:, k], label=f"class {k}")
    cost = cross_entropy(model, X, y)
    ax.set(title=f"{name}: cross-entropy {cost:.3f}", xlabel="along the three classes")
axes[0].set_ylabel("probability")
axes[0].legend(frameon=False)
plt.show()

# %%
# Batch and stochastic steps
# --------------------------
# Stochastic descent makes a step after every row. After the first pass over 3000 rows it is nearly
# at the minimum, which batch descent, with one step per pass, approaches slowly; in the end batch
# descent is more accurate.

many = rng.normal(size=(3000, 10))
target = (many @ rng.normal(size=10) + rng.logistic(size=3000) > 0).astype(int)
best = LogisticRegression(C=1 / (0.001 * 3000), tol=1e-8).fit(many, target)


def objective(w, b):
    z = many @ w + b
    loss = np.logaddexp(0, np.where(target == 1, -z, z)).mean()
    return loss + 0.0005 * (w @ w)


least = objective(best.coef_[0], best.intercept_[0])
fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
options = {"penalty": "l2", "alpha": 0.001, "keep_path": True, "tol": None, "max_iter": 30}
runs = {
    "batch": GradientDescentClassifier(**options),
    "batches of 50": GradientDescentClassifier(
        batch_size=50, schedule="invscaling", learning_rate=1.0, random_state=0, **options
    ),
    "stochastic": GradientDescentClassifier(
        batch_size=1, schedule="invscaling", learning_rate=0.5, random_state=0, **options
    ),
}
for name, model in runs.items():
    model.fit(many, target)
    path = zip(model.coef_path_[:, 0], model.intercept_path_[:, 0], strict=True)
    ax.semilogy([objective(w, b) - least for w, b in path], label=name)
ax.set(xlabel="passes over the rows", ylabel="objective above its minimum")
ax.legend(frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 1
