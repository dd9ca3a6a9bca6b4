"""
Trees that tell classes apart
=============================

A tree asks one question after the other. What makes a question good, how a tree grows out of good
questions, and what it looks like when it is done.
"""

# %%
# How mixed is a node?
# --------------------
# A question is good if its sides are less mixed than the whole. Three ways to measure it, for two
# classes. All are zero for a pure node and largest for halves. The share of errors has straight
# sides: a question that makes one side pure, and leaves the majority as it is on the other, counts
# for nothing. The other two bend, and see the progress.

import matplotlib.pyplot as plt

from learnable import (
    DecisionTreeClassifier,
    ID3Classifier,
    export_text,
    information_gain,
    load_iris,
    load_weather,
    plot_tree,
)
from learnable.plot import ImpurityDisplay, PartitionDisplay

ImpurityDisplay.from_shares()
plt.show()

# %%
# A branch for each value
# -----------------------
# Fourteen days, and whether tennis was played. ID3 asks for the column with the largest information
# gain, and makes a branch for each of its values.

weather = load_weather(as_frame=True)
days, play = weather.data, weather.target
for name in days:
    print(f"{name:12} {information_gain(play, days[name]):.3f} bits")

many = ID3Classifier().fit(days, play)
plot_tree(
    many, feature_names=list(days), class_names=["stay", "play"], impurity=False, rounded=True
)
plt.show()

# %%
# Two branches, and categories in two groups
# ------------------------------------------
# CART asks questions with two answers. Categories are split into the two groups that are worth
# most; the same column may come again further down.

two = DecisionTreeClassifier(categorical_features="from_dtype").fit(days, play)
plot_tree(two, feature_names=list(days), class_names=["stay", "play"], impurity=False, rounded=True)
plt.show()

# %%
# Any tree is a set of rules, and can say why a row got its answer:

print(many.explain(days[:1])[0])

# %%
# Iris, cut by cut
# ----------------
# Two columns of the iris flowers: every question cuts a rectangle in two.

iris = load_iris()
X, y, names = iris.data[:, 2:], iris.target, ["petal length (cm)", "petal width (cm)"]
fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained", sharey=True)
model = DecisionTreeClassifier(max_depth=4).fit(X, y)
for ax, depth in zip(axes, (1, 2, 4), strict=True):
    PartitionDisplay.from_estimator(model, X, y, max_depth=depth, ax=ax)
    ax.set(title=f"{depth} level{'s' if depth > 1 else ''}", xlabel=names[0], ylabel="")
axes[0].set_ylabel(names[1])
plt.show()

# %%
# The tree behind it, with the rows that each question divides. Lines are as wide as many flowers
# take them; the bars are the shares of the species.

model = DecisionTreeClassifier(max_depth=3).fit(iris.data, iris.target)
plot_tree(
    model,
    feature_names=[name.removesuffix(" (cm)") for name in iris.feature_names],
    class_names=iris.target_names,
    impurity=False,
    rounded=True,
    X=iris.data,
    y=iris.target,
)
plt.show()

# %%
# When to stop
# ------------
# Grown to the end, the tree asks about single flowers. With at least ten flowers in a node before
# it is divided, half of the questions go. Gini and entropy seldom disagree.

sizes = {
    "Gini, to the end": DecisionTreeClassifier(),
    "Gini, ten flowers": DecisionTreeClassifier(min_samples_split=10),
    "entropy, ten flowers": DecisionTreeClassifier(min_samples_split=10, criterion="entropy"),
}
for name, tree in sizes.items():
    tree.fit(iris.data, iris.target)
    print(f"{name:22} {tree.get_n_leaves()} leaves, {tree.get_depth()} levels")

print(export_text(sizes["entropy, ten flowers"], feature_names=iris.feature_names))
# sphinx_gallery_thumbnail_number = 5
