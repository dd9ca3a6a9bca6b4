"""
Classification trees
====================

A tree asks one question after the other: impurity measures, ID3 and CART, categorical splits, and
when to stop.
"""

# %%
# Impurity measures
# -----------------
# A good split has purer children than its parent. Three impurity measures for two classes: all are
# zero for a pure node and largest for equal proportions. The classification error is piecewise
# linear, so it does not reward a split that makes one child pure and leaves the majority of the
# other unchanged; Gini and entropy are strictly concave and do.

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
# ID3: one branch per category
# ----------------------------
# Fourteen days, and whether tennis was played. ID3 takes the feature with the largest information
# gain, and makes one branch per category.

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
# CART: binary splits of categories
# ---------------------------------
# CART makes binary splits. Categories are split into the two sets with the largest impurity
# decrease; the same feature may be used again further down.

two = DecisionTreeClassifier(categorical_features="from_dtype").fit(days, play)
plot_tree(two, feature_names=list(days), class_names=["stay", "play"], impurity=False, rounded=True)
plt.show()

# %%
# Any tree is a set of rules, and can explain each prediction:

print(many.explain(days[:1])[0])

# %%
# Partition of the plane
# ----------------------
# Two features of the iris flowers: every split cuts a rectangle in two.

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
# The tree, with the rows at each split. Lines are as wide as the number of rows; the bars are the
# class proportions.

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
# Fully grown, the tree overfits single flowers. With at least ten flowers in a node before it is
# split, half of the splits disappear. Gini and entropy seldom disagree.

sizes = {
    "Gini, fully grown": DecisionTreeClassifier(),
    "Gini, ten flowers": DecisionTreeClassifier(min_samples_split=10),
    "entropy, ten flowers": DecisionTreeClassifier(min_samples_split=10, criterion="entropy"),
}
for name, tree in sizes.items():
    tree.fit(iris.data, iris.target)
    print(f"{name:22} {tree.get_n_leaves()} leaves, {tree.get_depth()} levels")

print(export_text(sizes["entropy, ten flowers"], feature_names=iris.feature_names))
# sphinx_gallery_thumbnail_number = 5
