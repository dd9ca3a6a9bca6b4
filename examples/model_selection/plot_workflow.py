"""
From a file to a model in six steps
===================================

Collect, prepare, choose, train, test, improve. Every project with a table goes round this circle,
and the one thing that can go wrong without anybody noticing is that rows of the last steps sneak
into the first ones. This page goes round once.
"""

# %%
# Collect
# -------
# A file with measurements of 442 patients and how far their diabetes had progressed after a year.
# As in life, it has gaps and typing errors. The reader shows what it took the columns for. A
# quarter of the rows is put aside *now*, and not looked at until step five.

import io

import matplotlib.pyplot as plt
import numpy as np

from learnable import (
    DummyRegressor,
    GridSearchCV,
    Lasso,
    OutlierClipper,
    PolynomialFeatures,
    Ridge,
    SimpleImputer,
    StandardScaler,
    compare,
    error_interval,
    make_pipeline,
    quality_report,
    read_table,
    root_mean_squared_error,
)
from learnable.datasets import load_diabetes
from learnable.plot import CoefficientDisplay, ComparisonDisplay, PredictionErrorDisplay

frame = load_diabetes(as_frame=True, scaled=False).frame.astype(float)
frame.loc[::17, "bmi"] = np.nan
frame.loc[[30, 77], "bp"] = 9000.0
file = io.StringIO(frame.to_csv(index=False))  # a path would do as well

table = read_table(file, target="target").split(test=0.25, random_state=0)
train, test = table.part("train"), table.part("test")
print(train)

# %%
# Prepare, choose, train
# ----------------------
# What is learned from data belongs into the model: medians for the gaps, limits for far entries,
# scales. So the steps are one pipeline, and a search tunes it on training rows alone.

steps = SimpleImputer(strategy="median"), OutlierClipper(), StandardScaler()
strengths = np.geomspace(0.1, 1000, 9)
options = {"scoring": "neg_root_mean_squared_error", "cv": 5}
ridge = GridSearchCV(make_pipeline(*steps, Ridge()), {"ridge__alpha": strengths}, **options)
lasso = GridSearchCV(make_pipeline(*steps, Lasso()), {"lasso__alpha": strengths / 10}, **options)
bent = make_pipeline(*steps, PolynomialFeatures(2, include_bias=False), StandardScaler(), Ridge())
bent = GridSearchCV(bent, {"ridge__alpha": strengths * 10}, **options)
models = {"ridge": ridge, "lasso": lasso, "ridge on products": bent}

# %%
# Which of them? A comparison on the same folds, against a model that ignores the columns. Models
# that cannot be told apart share a group, and then the simpler one, or the cheaper one, will do.

found = compare(
    models, train.X, train.y, baseline=DummyRegressor(), random_state=0, **options
)  # fmt: skip
print(found)
ComparisonDisplay.from_comparison(found)
plt.show()

# %%
# And what do they cost?

print(quality_report(models, train.X, train.y, **options))

# %%
# Test
# ----
# Once, on the rows that were put aside.

model = lasso.fit(train.X, train.y)
predicted = model.predict(test.X)
error = root_mean_squared_error(test.y, predicted)
naive = root_mean_squared_error(test.y, np.full(test.n, train.y.mean()))
print(f"error {error:.1f}, without any column {naive:.1f}, {test.n} rows")
within = np.mean(np.abs(test.y - predicted) > 50)
low, high = error_interval(within, test.n)
print(f"off by more than 50: {within:.0%} of the patients, 95 % interval {low:.0%} to {high:.0%}")

fig, ax = plt.subplots(figsize=(5.2, 4.8), layout="constrained")
PredictionErrorDisplay.from_predictions(test.y, predicted, kind="actual_vs_predicted", ax=ax)
plt.show()

# %%
# Improve
# -------
# What does the model use, and what would help? Its coefficients, in standard units, say the first;
# the errors on rows seen and on new ones say the second: they are close, so more rows will
# not help much, but better columns would.

fig, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
CoefficientDisplay.from_estimator(model.best_estimator_[-1], sort=True, ax=ax)
ax.set_yticklabels([train.names[int(t.get_text()[1:])] for t in ax.get_yticklabels()])
plt.show()

from learnable.theory import diagnose

print(diagnose(root_mean_squared_error(train.y, model.predict(train.X)), error, target_error=45))
# sphinx_gallery_thumbnail_number = 2
