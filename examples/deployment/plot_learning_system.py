"""
The scheme of a learning system
===============================

A training system turns examples into a model; a prediction system applies the model to new data.
The two share nothing but the file of the model.
"""

# %%
# Scheme and typed table
# ----------------------

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import learnable
from learnable import DecisionTreeClassifier
from learnable.datasets import load_iris
from learnable.plot import LearningSystemDisplay

X, y = load_iris(return_X_y=True)
names = ["sepal length", "sepal width", "petal length", "petal width"]
species = np.array(["setosa", "versicolor", "virginica"])[y]
LearningSystemDisplay.from_estimator(DecisionTreeClassifier(), X, species, names=names)
plt.show()

# %%
# The same in code
# ----------------

train, new = np.arange(0, 150, 2), np.arange(1, 150, 2)
with tempfile.TemporaryDirectory() as folder:
    model = DecisionTreeClassifier(max_depth=3).fit(X[train], species[train])  # training system
    learnable.save(model, Path(folder) / "model")
    loaded = learnable.load(Path(folder) / "model")  # prediction system
    print(loaded.predict(X[new[:3]]), f"accuracy {loaded.score(X[new], species[new]):.3f}")
