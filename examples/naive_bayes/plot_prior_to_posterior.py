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
from learnable.plot import PosteriorDisplay, PredictiveDisplay

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
sure = BetaBinomial(1e6 * known.mean, 1e6 * (1 - known.mean))
PredictiveDisplay.from_models({"chance unknown": known, "chance known": sure}, 10)
plt.show()

# %%
# A die and a mean
# ----------------
# The same for six faces, and for a mean whose variance is unknown too. More values make the mean
# sure; the next value stays as uncertain as values are.

die = DirichletMultinomial([1] * 6).posterior([2, 4, 3, 1, 9, 5])
print("most probable shares:", die.mode.round(3))
prior = NormalInverseGamma(location=0, strength=1, shape=2, scale=2)
values = np.random.default_rng(0).normal(1.5, 1.0, 20)
states = {"prior": prior, "3 values": prior.posterior(values[:3]), "20": prior.posterior(values)}
fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
PosteriorDisplay.from_outcomes(die, [f"face {face}" for face in range(1, 7)], ax=axes[0])
axes[0].set_title("chance of each face", fontsize="medium")
PosteriorDisplay.from_models(states, ax=axes[1])
axes[1].set_title("where the mean is", fontsize="medium")
PredictiveDisplay.from_models(states, ax=axes[2])
axes[2].set_title("where the next value will be", fontsize="medium")
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
