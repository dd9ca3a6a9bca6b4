"""
Conjugate priors: from prior to posterior
=========================================

The distribution of a probability before and after some coin tosses, in closed form; the predictive
distribution of the next tosses; and Laplace smoothing in naive Bayes.
"""

# %%
# Three priors, the same ten tosses
# ---------------------------------
# A prior acts as pseudo-counts: Beta(a, b) is like a successes and b failures seen before. The more
# pseudo-counts, the less seven successes out of ten change it. All at once or one by one, the
# posterior is the same.

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
# The posterior predictive distribution
# -------------------------------------
# Uncertainty about the probability widens the prediction: the beta-binomial is wider than a
# binomial with the point estimate.

known = BetaBinomial(1, 1).posterior(7, 3)
sure = BetaBinomial(1e6 * known.mean, 1e6 * (1 - known.mean))
PredictiveDisplay.from_models({"probability unknown": known, "probability known": sure}, 10)
plt.show()

# %%
# A die and a mean
# ----------------
# The same for the six faces of a die, and for a normal mean with unknown variance. More values make
# the posterior of the mean narrower; the predictive distribution keeps the variance of the data.

die = DirichletMultinomial([1] * 6).posterior([2, 4, 3, 1, 9, 5])
print("posterior mode:", die.mode.round(3))
prior = NormalInverseGamma(location=0, strength=1, shape=2, scale=2)
values = np.random.default_rng(0).normal(1.5, 1.0, 20)
states = {"prior": prior, "3 values": prior.posterior(values[:3]), "20": prior.posterior(values)}
fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
PosteriorDisplay.from_outcomes(die, [f"face {face}" for face in range(1, 7)], ax=axes[0])
axes[0].set_title("probability of each face", fontsize="medium")
PosteriorDisplay.from_models(states, ax=axes[1])
axes[1].set_title("posterior of the mean", fontsize="medium")
PredictiveDisplay.from_models(states, ax=axes[2])
axes[2].set_title("predictive distribution", fontsize="medium")
plt.show()

# %%
# Laplace smoothing
# -----------------
# A word that never occurred in a class has probability zero there, and a product with a zero is
# zero whatever the other words say. Pseudo-counts, which are a prior, repair it:

X, labels = (
    [[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]],
    ["sport", "sport", "news", "news", "news"],
)
for alpha in (0.0, 0.1, 1.0):
    model = BernoulliNB(alpha=alpha).fit(X, labels)
    print(
        f"alpha {alpha}: P(sport | all three words) = {model.predict_proba([[1, 1, 1]])[0, 1]:.3f}"
    )
