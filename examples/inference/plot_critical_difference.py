"""
Many models, many data sets
===========================

On one data set some model is always the best. Ranks over several data sets show which models are
better in general; mean ranks that differ by less than the critical difference may differ by chance.
"""

# %%
# Scores by two metrics
# ---------------------

import matplotlib.pyplot as plt

from learnable import (
    DecisionTreeClassifier,
    DummyClassifier,
    GaussianNB,
    KNeighborsClassifier,
    LogisticRegression,
    RandomForestClassifier,
)
from learnable.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from learnable.inference import compare_on_data_sets
from learnable.plot import CriticalDifferenceDisplay

models = {
    "logistic": LogisticRegression(max_iter=500),
    "forest": RandomForestClassifier(50, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "neighbours": KNeighborsClassifier(),
    "prior": DummyClassifier(),
}
tables = {}
for name, load in (("iris", load_iris), ("wine", load_wine), ("cancer", load_breast_cancer)):
    tables[name] = load(return_X_y=True)
X, y = load_digits(return_X_y=True)
for part in range(4):
    tables[f"digits {part + 1}"] = X[part::4], y[part::4]
found = compare_on_data_sets(models, tables, scoring=["accuracy", "balanced_accuracy"], cv=5)
print(found)
print(found.friedman("accuracy"))

# %%
# Critical-difference diagram
# ---------------------------
# A bar joins models whose ranks do not differ significantly. With seven data sets only large
# differences are significant.

CriticalDifferenceDisplay.from_comparison(found)
plt.show()
