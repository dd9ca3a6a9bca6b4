"""
Heart disease in a table of odds
================================

A classical table of epidemiology: 462 men of the Western Cape, 160 of them with coronary heart
disease. Logistic regression says by how much each measurement raises the odds, and how sure that
is.
"""

# %%
# Look before fitting
# -------------------
# Each dot is a man, in blue with the disease. Age and tobacco set the two groups apart a little;
# nothing does so alone. Obesity goes with ldl: what one of them explains, the other may seem to.

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
# Without a penalty the coefficients are those of maximum likelihood, and they come with standard
# errors. ``odds ratio`` is exp(coef): with a family history the odds are 2.6 times as high, other
# things being equal; each year of age raises them by 4 %.

model = LogisticRegression(C=np.inf).fit(X, table["chd"])
print(model.summary())

# %%
# That blood pressure (sbp) and obesity seem not to matter, or even to help, is a surprise only if a
# coefficient is read as the effect of its column alone. It is the effect that is left when all
# others stay as they are, and these columns go together.
#
# The interval of each coefficient, with columns brought to the same spread so that they can be
# compared:

scaled = (X - X.mean()) / X.std()
CoefficientDisplay.from_estimator(LogisticRegression(C=np.inf).fit(scaled, table["chd"]), sort=True)
plt.show()

# %%
# Which columns would do?
# -----------------------
# An absolute penalty answers by leaving columns out. From left to right it weakens: age enters
# first, then family history, tobacco and ldl; obesity and alcohol come last. The dashed line is the
# default, C = 1.

fig, ax = plt.subplots(figsize=(7.4, 4.4), layout="constrained")
lasso = LogisticRegression(l1_ratio=1.0)
RegularizationPathDisplay.from_estimator(lasso, scaled, table["chd"], ax=ax)
plt.show()
# sphinx_gallery_thumbnail_number = 3
