"""
Approve, how much, how likely?
==============================

One score w·x + b, three questions. Its sign decides, its value is an amount, and a sigmoid makes it
a chance. A bank asks all three of the same columns.
"""

# %%
# One table of applicants
# -----------------------
# Made-up applicants with a salary, debts, years in their job and years at their address. The bank
# remembers whom it approved, which credit line it gave, and who did not pay back.

import matplotlib.pyplot as plt
import numpy as np

from learnable.linear_model import LinearRegression, LogisticRegression, Perceptron, Pocket

rng = np.random.default_rng(4)
n = 1500
names = ["salary", "debt", "years in job", "years at address"]
applicants = np.column_stack(
    [
        rng.lognormal(3.6, 0.4, n),
        rng.gamma(2.0, 6.0, n),
        rng.exponential(6.0, n),
        rng.exponential(8.0, n),
    ]
)
X = (applicants - applicants.mean(axis=0)) / applicants.std(axis=0)
worth = X @ [1.4, -1.2, 0.5, 0.2]
approved = worth + 0.2 * rng.normal(size=n) > -0.3
line = 8 + 3 * worth + rng.normal(size=n)
chance = 1 / (1 + np.exp(2.2 + 1.3 * worth))
defaulted = rng.random(n) < chance

# %%
# Three models, one score
# -----------------------
# sign(s), s itself, and θ(s) = 1 / (1 + exp(-s)) of s = w·x + b. The weights agree but for their
# sign and length: what speaks for approval speaks for a larger line and against default.

models = {
    "approve: sign(s)": Pocket(max_iter=3000, start="least_squares", random_state=0).fit(
        X, approved
    ),
    "credit line: s": LinearRegression().fit(X, line),
    "default: θ(s)": LogisticRegression(C=np.inf).fit(X, defaulted),
}
fig, axes = plt.subplots(1, 3, figsize=(11.4, 3.9), layout="constrained")
for ax, (name, model) in zip(axes, models.items(), strict=True):
    w = np.ravel(model.coef_)
    score = X @ w + np.ravel(model.intercept_)[0]
    order = np.argsort(score)
    ax.set(title=name, xlabel="score s = w·x + b")
    if name.startswith("approve"):
        ax.plot(score, approved + 0.06 * rng.normal(size=n), ".", markersize=2, color="#9ca3af")
        ax.step(score[order], model.predict(X)[order], color="#2563a8", linewidth=2)
        ax.set(ylabel="approved", yticks=[0, 1])
    elif name.startswith("credit"):
        ax.plot(score, line, ".", markersize=2, color="#9ca3af")
        ax.plot(score[order], model.predict(X)[order], color="#2563a8", linewidth=2)
        ax.set(ylabel="credit line in thousands")
    else:
        ax.plot(score, defaulted + 0.03 * rng.normal(size=n), ".", markersize=2, color="#9ca3af")
        ax.plot(score[order], model.predict_proba(X)[order, 1], color="#2563a8", linewidth=2)
        ax.set(ylabel="chance of default")
    shown = ", ".join(f"{weight:+.2f}" for weight in w / np.linalg.norm(w))
    print(f"{name:>18}: {shown}  ({', '.join(names)})")
plt.show()

# %%
# Chances from yes and no
# -----------------------
# Nobody ever saw a chance, only who paid back and who did not. From enough of these, logistic
# regression finds the chances again. The same is done for the risk of a heart attack: doctors know
# age, blood sugar and cholesterol of their patients, and later who had one.

fig, ax = plt.subplots(figsize=(4.6, 4.2), layout="constrained")
found = models["default: θ(s)"].predict_proba(X)[:, 1]
ax.plot(chance, found, ".", markersize=3, color="#2563a8")
ax.plot([0, 1], [0, 1], color="#6b7280", linestyle="--", linewidth=1)
ax.set(xlabel="the chance that nobody saw", ylabel="the chance found", aspect="equal")
plt.show()
print(f"largest error: {np.abs(found - chance).max():.3f}")

# %%
# Which one for which question
# ----------------------------
# A perceptron only answers yes or no, but its answer is final where a line separates the cases. A
# regression on amounts is solved in one step. A chance can be weighed against a price: refuse if
# chance times loss is more than the interest.

perceptron = Perceptron(tol=None, max_iter=100, random_state=0).fit(X, approved)
print(f"perceptron: {perceptron.score(X, approved):.1%} of the decisions repeated")
print(f"pocket:     {models['approve: sign(s)'].score(X, approved):.1%}")
# sphinx_gallery_thumbnail_number = 1
