"""
A machine learning workflow in six steps
========================================

Collect, prepare, select, train, test, improve. Every project with a table goes through this cycle,
and the most dangerous mistake is leakage: information about the test rows enters the earlier steps.
This page goes through the cycle once.
"""

# %%
# Collect
# -------
# A file with measurements of 442 patients and the progression of their diabetes after a year. As in
# practice, it has missing values and typing errors. The reader shows the detected column types. A
# quarter of the rows is held out *now*, and not used until step five.

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
# Prepare, select, train
# ----------------------
# Whatever is learned from data belongs into the model: medians for imputation, limits for outliers,
# scales. So the steps form one pipeline, and a search tunes it on training rows alone.

steps = SimpleImputer(strategy="median"), OutlierClipper(), StandardScaler()
alphas = np.geomspace(0.1, 1000, 9)
options = {"scoring": "neg_root_mean_squared_error", "cv": 5}
ridge = GridSearchCV(make_pipeline(*steps, Ridge()), {"ridge__alpha": alphas}, **options)
lasso = GridSearchCV(make_pipeline(*steps, Lasso()), {"lasso__alpha": alphas / 10}, **options)
products = make_pipeline(
    *steps, PolynomialFeatures(2, include_bias=False), StandardScaler(), Ridge()
)
products = GridSearchCV(products, {"ridge__alpha": alphas * 10}, **options)
models = {"ridge": ridge, "lasso": lasso, "ridge on products": products}

# %%
# Which of them? A comparison on the same folds, against a baseline that ignores the features.
# Models without significant differences share a group, and then the simplest or cheapest will do.

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
# Once, on the held-out rows.

model = lasso.fit(train.X, train.y)
predicted = model.predict(test.X)
error = root_mean_squared_error(test.y, predicted)
naive = root_mean_squared_error(test.y, np.full(test.n, train.y.mean()))
print(f"error {error:.1f}, baseline {naive:.1f}, {test.n} rows")
within = np.mean(np.abs(test.y - predicted) > 50)
low, high = error_interval(within, test.n)
print(f"off by more than 50: {within:.0%} of the patients, 95 % interval {low:.0%} to {high:.0%}")

fig, ax = plt.subplots(figsize=(5.2, 4.8), layout="constrained")
PredictionErrorDisplay.from_predictions(test.y, predicted, kind="actual_vs_predicted", ax=ax)
plt.show()

# %%
# Improve
# -------
# The standardised coefficients show which features the model uses; training and test error are
# close, so more rows will not help much, but better features would.

fig, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
CoefficientDisplay.from_estimator(model.best_estimator_[-1], sort=True, ax=ax)
ax.set_yticklabels([train.names[int(t.get_text()[1:])] for t in ax.get_yticklabels()])
plt.show()

from learnable.theory import diagnose

print(diagnose(root_mean_squared_error(train.y, model.predict(train.X)), error, target_error=45))
# sphinx_gallery_thumbnail_number = 2
