"""
Bayesian networks
=================

The networks of a lawn sprinkler and of a chest clinic, drawn with their probability tables, and
what evidence does to the beliefs.
"""

# %%
# A lawn sprinkler
# ----------------
# Rain and the sprinkler both make the grass wet. Parents are above their children; every node with
# a table shows the probabilities of its states for each configuration of its parents.

import matplotlib.pyplot as plt
import numpy as np

from learnable import BayesianNetwork, TabularCPD
from learnable.plot import BayesianNetworkDisplay

names = {name: ["no", "yes"] for name in ("rain", "sprinkler", "wet")}
sprinkler = BayesianNetwork.from_cpds(
    [
        TabularCPD("rain", 2, [[0.8], [0.2]], state_names=names),
        TabularCPD("sprinkler", 2, [[0.6, 0.99], [0.4, 0.01]], ["rain"], [2], names),
        TabularCPD(
            "wet",
            2,
            [[1, 0.2, 0.1, 0.01], [0, 0.8, 0.9, 0.99]],
            ["sprinkler", "rain"],
            [2, 2],
            names,
        ),
    ]
)
BayesianNetworkDisplay.from_estimator(sprinkler, cpts=True)
plt.show()

# %%
# Explaining away
# ---------------
# Wet grass makes rain more probable. That the sprinkler was on explains the wet grass, and rain is
# improbable again, although rain and grass are what they were.

evidence = [{}, {"wet": "yes"}, {"wet": "yes", "sprinkler": "yes"}]
beliefs = [sprinkler.query("rain", given)["yes"] for given in evidence]
fig, ax = plt.subplots(figsize=(5, 2.2), layout="constrained")
labels = ["nothing known", "grass wet", "grass wet, sprinkler on"]
ax.barh(labels[::-1], beliefs[::-1], color="#2563a8")
ax.set(xlabel="probability of rain", xlim=(0, 1))
plt.show()

# %%
# A chest clinic
# --------------
# The network "asia" of Lauritzen and Spiegelhalter (1988): a visit to Asia raises the risk of
# tuberculosis, smoking that of lung cancer and bronchitis.

yes_no = {
    name: ["yes", "no"]
    for name in ("asia", "smoke", "tub", "lung", "bronc", "either", "xray", "dysp")
}


def table(node, probabilities, parents=()):
    """The table of a node from the probabilities of "yes"."""
    p = np.atleast_1d(probabilities)
    return TabularCPD(node, 2, [p, 1 - p], list(parents), [2] * len(parents), yes_no)


asia = BayesianNetwork.from_cpds(
    [
        table("asia", 0.01),
        table("smoke", 0.5),
        table("tub", [0.05, 0.01], ["asia"]),
        table("lung", [0.1, 0.01], ["smoke"]),
        table("bronc", [0.6, 0.3], ["smoke"]),
        table("either", [1.0, 1.0, 1.0, 0.0], ["lung", "tub"]),
        table("xray", [0.98, 0.05], ["either"]),
        table("dysp", [0.9, 0.8, 0.7, 0.1], ["bronc", "either"]),
    ]
)
BayesianNetworkDisplay.from_estimator(asia, cpts=["lung", "dysp"])
plt.show()

# %%
# A patient who was in Asia, with shortness of breath and a shadow on the X-ray: all three diseases
# become probable.

patient = {"asia": "yes", "xray": "yes", "dysp": "yes"}
diseases = ["tub", "lung", "bronc"]
fig, ax = plt.subplots(figsize=(5, 2.4), layout="constrained")
place = np.arange(3)
before = [asia.query(node)["yes"] for node in diseases]
after = [asia.query(node, patient)["yes"] for node in diseases]
ax.barh(place + 0.2, before, 0.4, color="#9ca3af", label="before")
ax.barh(place - 0.2, after, 0.4, color="#c2410c", label="given the findings")
ax.set(xlabel="probability", xlim=(0, 1), yticks=place)
ax.set_yticklabels(["tuberculosis", "lung cancer", "bronchitis"])
ax.legend(frameon=False, loc="upper right")
plt.show()
