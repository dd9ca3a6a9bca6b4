"""
What a mistake costs
====================

A learner is told what to avoid by a loss: a number for every pair of truth and answer. These are
the usual ones, for numbers and for classes, and what tells them apart is how they treat mistakes
that are large, and answers that are right.
"""

# %%
# Numbers
# -------
# The squared error grows with the square of the residual, so a single far row can outweigh many
# near ones. The absolute error charges in proportion. Huber's loss is squared up to δ and straight
# beyond; log-cosh is the same without a seam, close to r² / 2 for small residuals and to
# \|r\| - log 2 for large ones.

import matplotlib.pyplot as plt
import numpy as np

from learnable.parts.losses import (
    Absolute,
    BinomialDeviance,
    Exponential,
    Hinge,
    Huber,
    LogCosh,
    ModifiedHuber,
    PerceptronLoss,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from learnable.plot import LossDisplay

losses = [Squared(), Absolute(), Huber(0.1), Huber(1.0), Huber(3.0), LogCosh()]
fig, ax = plt.subplots(figsize=(7.4, 4.6))
LossDisplay.from_losses(losses, reach=5.0, ax=ax)
ax.set(ylim=(0, 6), title="losses of regression")
ax.lines[0].set(linewidth=4, alpha=0.5)
ax.legend(ax.lines, ["squared, r²/2", "absolute, |r|", "Huber, δ = 0.1", "Huber, δ = 1",
                     "Huber, δ = 3", "log-cosh"], loc="upper center")  # fmt: skip
plt.show()
for loss in losses[2:5]:
    print(loss, "of a residual of 2:", loss.value(np.array([2.0]), np.zeros(1)).round(3)[0])

# %%
# Classes
# -------
# With classes -1 and 1 and a score f, the product m = y f is the margin: positive where the sign is
# right. What one would like to count, errors, is a step: flat nearly everywhere, so no
# gradient leads anywhere. All others stand in for it. They lie above it (where they are scaled to
# pass through 1 at m = 0), fall with the margin, and differ at the ends.

margin = np.linspace(-3, 3, 601)
ones = np.ones_like(margin)


def logistic(m):
    """log(1 + exp(-m)), which is the binomial deviance of half the margin."""
    return BinomialDeviance().value(np.ones_like(m), m / 2)


of_margin = {
    "zero-one": ZeroOne().value(ones, margin),
    "hinge, max(0, 1 - m)": Hinge().value(ones, margin),
    "squared hinge, max(0, 1 - m)²": SquaredHinge().value(ones, margin),
    "modified Huber": ModifiedHuber().value(ones, margin),
    "perceptron, max(0, -m)": PerceptronLoss().value(ones, margin),
    "logistic, log₂(1 + exp(-m))": logistic(margin) / np.log(2),
    "exponential, exp(-m)": Exponential().value(ones, margin),
    "binomial deviance, log(1 + exp(-2m))": BinomialDeviance().value(ones, margin),
}
fig, ax = plt.subplots(figsize=(7.4, 4.8))
styles = ("-", "-", "--", "-.", "-", "-", "--", ":")
colours = ("black", "C0", "C5", "C6", "C2", "C1", "C3", "C4")
for (name, values), style, colour in zip(of_margin.items(), styles, colours, strict=True):
    ax.plot(margin, values, style, color=colour, label=name, linewidth=1.8)
ax.axvspan(-3, 0, color="#b3261e", alpha=0.05, linewidth=0)
ax.text(-2.9, 0.3, "wrong side", fontsize=9, color="#b3261e")
ax.text(2.9, 0.3, "right side", fontsize=9, color="#6b7280", ha="right")
ax.set(xlabel="margin m = y f", ylabel="loss", ylim=(0, 6), xlim=(-3, 3))
ax.set_title("losses of classification")
ax.legend(loc="upper right", bbox_to_anchor=(1.0, 0.93))
plt.show()

# %%
# For a row far on the wrong side the exponential loss charges exponentially, the squared hinge
# by the square, hinge, logistic, deviance and perceptron in proportion: the first two chase
# outliers, the others bear them. For a row on the right side hinge and squared hinge end at m = 1,
# which is why support vector machines forget such rows altogether; the logistic loss never ends,
# but fades.
#
# Three neighbours
# ----------------
# Logistic regression, perceptron and support vector machine minimise the same kind of sum with
# nearly the same loss. The perceptron is content with any right answer. The hinge demands a margin
# of one. The logistic loss demands more the less it has.

fig, ax = plt.subplots(figsize=(6.6, 4.2))
ax.plot(margin, logistic(margin), label="logistic, log(1 + exp(-m))")
ax.plot(margin, of_margin["perceptron, max(0, -m)"], label="perceptron, max(0, -m)", color="C2")
ax.plot(margin, of_margin["hinge, max(0, 1 - m)"], label="hinge, max(0, 1 - m)", color="C3")
ax.axvline(0, color="#6b7280", linewidth=0.8, linestyle=":")
ax.axvline(1, color="#6b7280", linewidth=0.8, linestyle=":")
ax.annotate("margin 1:\nthe hinge is content", (1, 0.02), (1.4, 1.3), fontsize=8,
            arrowprops={"arrowstyle": "->"})  # fmt: skip
ax.set(xlabel="margin m = y f", ylabel="loss", xlim=(-3, 3), ylim=(-0.05, 4))
ax.legend()
plt.show()

# %%
# Why not squares of probabilities?
# ---------------------------------
# A sigmoid makes a probability p of the score w x. Its squared error (p - y)² is not convex in w:
# far off, where the answer is wrong and sure, the curve is flat and a descent hardly moves.
# The cross-entropy of the same probability is convex, and steep where it has to be.

w = np.linspace(-6, 6, 400)
x, y = np.array([1.0, 2.0, -1.5]), np.array([1.0, 1.0, 0.0])
p = 1 / (1 + np.exp(-np.outer(w, x)))
squared = ((p - y) ** 2).mean(axis=1)
entropy = -(y * np.log(p) + (1 - y) * np.log1p(-p)).mean(axis=1)
fig, axes = plt.subplots(1, 2, figsize=(8.4, 3.8))
axes[0].plot(w, squared, label="squared error of the probability")
axes[0].plot(w, entropy / entropy.max(), color="C1", label="cross-entropy, scaled")
axes[0].set(title="the objective", xlabel="weight w", ylabel="mean loss")
curvature = np.gradient(np.gradient(squared, w), w)[2:-2]
axes[1].plot(w[2:-2], curvature, label="squared error of the probability")
axes[1].plot(w[2:-2], np.gradient(np.gradient(entropy, w), w)[2:-2], label="cross-entropy")
axes[1].fill_between(w[2:-2], curvature, 0, where=curvature < 0, color="C3", alpha=0.3,
                     label="negative: not convex")  # fmt: skip
axes[1].axhline(0, color="black", linewidth=0.8)
axes[1].set(title="its second derivative", xlabel="weight w")
axes[0].set_ylim(top=1.3)
axes[0].legend(loc="upper right")
axes[1].set_ylim(top=1.0)
axes[1].legend(loc="upper right")
plt.show()
# sphinx_gallery_thumbnail_number = 2
