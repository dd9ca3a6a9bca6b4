"""
From prior to posterior
=======================

What is known of a chance before and after some tosses, in closed form; what that says of the
next tosses; and why naive Bayes adds made-up observations.
"""

# %%
# Three priors, the same ten tosses
# ---------------------------------
# A prior counts as tosses seen before: Beta(a, b) is a successes and b failures. The stronger it
# is, the less seven successes out of ten move it. All at once or one by one, the result is the
# same.

import matplotlib.pyplot as plt
import numpy as np

from learnable import BernoulliNB, BetaBinomial, DirichletMultinomial, NormalInverseGamma
from learnable.plot import PosteriorDisplay

fig, axes = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
for ax, (a, b) in zip(axes, ((1, 1), (2, 6), (20, 20)), strict=True):
    prior = BetaBinomial(a, b)
    PosteriorDisplay.from_models(
        {f"Beta({a}, {b})": prior, "7 of 10": prior.posterior(7, 3)}, ax=ax
    )
plt.show()

# %%
# The next ten tosses
# -------------------
# Not knowing the chance spreads the prediction: the beta-binomial is wider than a binomial with
# the best guess.

known = BetaBinomial(1, 1).posterior(7, 3)
y = np.arange(11)
sure = BetaBinomial(1e6 * known.mean, 1e6 * (1 - known.mean))
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.bar(y - 0.2, known.pmf(y, 10), width=0.4, label="chance unknown", color="#2563a8")
ax.bar(y + 0.2, sure.pmf(y, 10), width=0.4, label="chance known", color="#d9730d")
ax.set(xlabel="successes in the next ten", ylabel="probability")
ax.legend(frameon=False)
plt.show()

# %%
# A die and a mean
# ----------------
# The same for six faces, and for a mean whose variance is unknown too.

die = DirichletMultinomial([1] * 6).posterior([2, 4, 3, 1, 9, 5])
print("most probable shares:", die.mode.round(3))
prior = NormalInverseGamma(location=0, strength=1, shape=2, scale=2)
values = np.random.default_rng(0).normal(1.5, 1.0, 20)
PosteriorDisplay.from_models(
    {"prior": prior, "3 values": prior.posterior(values[:3]), "20 values": prior.posterior(values)}
)
plt.show()

# %%
# Why zeros are smoothed
# ----------------------
# A word that was never seen in one class has chance zero there, and a product with a zero is zero
# whatever the other words say. Made-up observations, which are a prior, repair it:

X, labels = (
    [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]],
    ["sport", "sport", "news", "news", "news"],
)
for alpha in (0.0, 0.1, 1.0):
    model = BernoulliNB(alpha=alpha).fit(X, labels)
    print(
        f"alpha {alpha}: P(sport | all three words) = {model.predict_proba([[1, 1, 1]])[0, 1]:.3f}"
    )
