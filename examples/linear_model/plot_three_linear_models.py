"""
One score, three linear models
==============================

The same score w·x + b serves three tasks: its sign is a class, its value a numeric prediction, and
a sigmoid makes it a probability. A bank asks all three about the same applicants.
"""

# %%
# The data
# --------
# Simulated applicants with salary, debt, years in their job and years at their address; the targets
# are approval (class), credit line (amount) and default.

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
probability = 1 / (1 + np.exp(2.2 + 1.3 * worth))
defaulted = rng.random(n) < probability

# %%
# Perceptron, linear and logistic regression
# ------------------------------------------
# sign(s), s itself, and θ(s) = 1 / (1 + exp(-s)) of s = w·x + b. The coefficients agree up to sign
# and scale: what increases the credit line also favours approval and reduces the probability of
# default.

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
        ax.set(ylabel="probability of default")
    shown = ", ".join(f"{weight:+.2f}" for weight in w / np.linalg.norm(w))
    print(f"{name:>18}: {shown}  ({', '.join(names)})")
plt.show()

# %%
# Probabilities from binary outcomes
# ----------------------------------
# Probabilities are never observed, only who defaulted and who did not. With enough rows, logistic
# regression recovers them. The risk of a heart attack is estimated in the same way from seven
# columns of patients: age, gender, blood sugar, HDL and LDL cholesterol, mass and height.

m = 4000
gender = rng.integers(0, 2, m)
height = 1.63 + 0.13 * gender + 0.07 * rng.normal(size=m)
mass = height**2 * (26 + 4 * rng.normal(size=m))
patients = {
    "age": rng.uniform(25, 85, m),
    "gender": gender,
    "blood sugar": rng.gamma(30, 3.6, m),
    "HDL": rng.normal(58 - 8 * gender, 13, m),
    "LDL": rng.normal(130, 32, m),
    "mass": mass,
    "height": height,
}
table = np.column_stack(list(patients.values()))
risk = 1 / (1 + np.exp(5.5 - table @ [0.06, 0.7, 0.012, -0.03, 0.014, 0.025, -2.0]))
attack = rng.random(m) < risk
heart = LogisticRegression(C=np.inf, max_iter=1000).fit(table, attack)
for name, weight in zip(patients, heart.coef_[0], strict=True):
    print(f"{name:>11}: one more multiplies the odds by {np.exp(weight):.3f}")

fig, axes = plt.subplots(1, 2, figsize=(8.8, 4.2), layout="constrained", sharey=True)
for ax, title, truth, found in (
    (axes[0], "default", probability, models["default: θ(s)"].predict_proba(X)[:, 1]),
    (axes[1], "heart attack", risk, heart.predict_proba(table)[:, 1]),
):
    ax.plot(truth, found, ".", markersize=3, color="#2563a8")
    ax.plot([0, 1], [0, 1], color="#6b7280", linestyle="--", linewidth=1)
    ax.set(title=title, xlabel="true probability", aspect="equal")
    print(f"{title}: largest error {np.abs(found - truth).max():.3f}")
axes[0].set_ylabel("estimated probability")
plt.show()

# %%
# Which one for which question
# ----------------------------
# A perceptron predicts classes only, and is perfect if they are linearly separable. Linear
# regression has a closed form. A probability can be combined with costs: refuse if the expected
# loss exceeds the interest.

perceptron = Perceptron(tol=None, max_iter=100, random_state=0).fit(X, approved)
print(f"perceptron: {perceptron.score(X, approved):.1%} of the decisions repeated")
print(f"pocket:     {models['approve: sign(s)'].score(X, approved):.1%}")
# sphinx_gallery_thumbnail_number = 1
