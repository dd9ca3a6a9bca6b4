"""
The EM algorithm
================

E-step and M-step in turn: the likelihood of a Gaussian mixture increases at every iteration.
"""

# %%
# Iterations
# ----------
# From a poor initialisation, three random rows, the components find the clusters. The titles give
# the iteration and the log-likelihood.

import matplotlib.pyplot as plt
import numpy as np

from learnable import GaussianMixture, choose_components
from learnable.plot import ComponentChoiceDisplay, MixtureDisplay

rng = np.random.default_rng(3)
centres = np.array([[0.0, 0.0], [6.0, 2.0], [1.0, 7.0]])
turns = np.array([[[1.5, 0.8], [0, 0.6]], [[0.7, -0.5], [0, 1.2]], [[1.8, 0.0], [0, 0.7]]])
group = rng.integers(0, 3, 400)
X = centres[group] + np.einsum("ij,ijk->ik", rng.normal(size=(400, 2)), turns[group])
model = GaussianMixture(3, init_params="random_from_data", random_state=1, tol=1e-6)
MixtureDisplay.over_steps(model, X, (1, 2, 4, 200))
plt.show()

# %%
# How many components?
# --------------------
# The likelihood of the training rows always increases with more components. BIC penalises the
# number of parameters; the held-out likelihood detects overfitting.

mixture = GaussianMixture(n_init=3, random_state=0)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for ax, criterion in zip(axes, ("bic", "held-out"), strict=True):
    choice = choose_components(mixture, X, range(1, 7), criterion=criterion, random_state=0)
    ComponentChoiceDisplay.from_choice(choice, ax=ax)
plt.show()
