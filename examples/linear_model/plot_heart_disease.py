"""
Odds ratios: risk factors of heart disease
==========================================

A classical table of epidemiology: 462 men of the Western Cape, 160 of them with coronary heart
disease. Logistic regression estimates by how much each risk factor increases the odds, with
confidence intervals.
"""

# %%
# Exploratory analysis
# --------------------
# Each dot is a man, in blue with the disease. Age and tobacco separate the classes a little; no
# feature does so alone. Obesity is correlated with ldl, so their coefficients are hard to separate.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from learnable.datasets._source_tables import source_table
from learnable.linear_model import LogisticRegression
from learnable.plot import CoefficientDisplay, PairDisplay, RegularizationPathDisplay

table = pd.read_csv(source_table("heart_disease.csv"))
names = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]
X = table[names].assign(famhist=(table["famhist"] == "Present").astype(float))
y = table["chd"].map({1: "disease", 0: "none"})
PairDisplay.from_data(X.drop(columns="famhist"), y)
plt.show()

# %%
# The coefficient table
# ---------------------
# Without a penalty the coefficients are maximum likelihood estimates with standard errors. ``odds
# ratio`` is exp(coef): with a family history the odds are 2.6 times as high, other things being
# equal; each year of age increases them by 4 %.

model = LogisticRegression(C=np.inf).fit(X, table["chd"])
print(model.summary())

# %%
# That blood pressure (sbp) and obesity seem not to matter, or even to help, is a surprise only if a
# coefficient is read as the marginal effect of its feature. It is the effect with all other
# features held constant, and these features are correlated.
#
# The confidence intervals of the coefficients of standardised features:

scaled = (X - X.mean()) / X.std()
CoefficientDisplay.from_estimator(LogisticRegression(C=np.inf).fit(scaled, table["chd"]), sort=True)
plt.show()

# %%
# Which features would suffice?
# -----------------------------
# An L1 penalty selects features. From left to right it weakens: age enters first, then family
# history, tobacco and ldl; obesity and alcohol come last. The dashed line is the default, C = 1.

fig, ax = plt.subplots(figsize=(7.4, 4.4), layout="constrained")
lasso = LogisticRegression(l1_ratio=1.0)
RegularizationPathDisplay.from_estimator(lasso, scaled, table["chd"], ax=ax)
plt.show()
# sphinx_gallery_thumbnail_number = 3
