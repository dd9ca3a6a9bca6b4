"""Small tables with classes to predict."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.declare.checked_functions import checked, limits
from ._packaged_tables import handed_over, numbers_bunch, texts_bunch

IRIS = """Iris: 150 flowers of three species, four lengths in centimetres.

Source: Fisher, The use of multiple measurements in taxonomic problems, 1936; UCI repository, CC BY 4.0.
Two rows differ from the copy at UCI, which has errors; these are Fisher's.
"""
WINE = """Wine: 178 wines of three growers in one region of Italy, 13 chemical measurements.

Source: Forina et al., PARVUS, 1988; UCI repository, CC BY 4.0.
"""
CANCER = """Breast cancer of Wisconsin: 569 tumours, malignant (0) or benign (1), 30 measurements of cell nuclei.

Mean, standard error and worst (mean of the three largest) of ten properties.
Source: Street, Wolberg and Mangasarian, 1993; UCI repository, CC BY 4.0.
"""
DIGITS = """Digits: 1797 handwritten digits, 8 by 8 pixels with values 0 to 16.

The test set of the optical recognition data. Source: Alpaydin and Kaynak, 1998; UCI repository, CC BY 4.0.
"""
WEATHER = """Weather: 14 days, four words about each, and whether tennis was played.

Source: the textbook example of Quinlan, Induction of decision trees, 1986.
"""
BORROWERS = """Borrowers: ten people, home owner or not, marital status, age, income in thousands; did they default?

A made-up table with one column of each common kind.
"""


def load_iris(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the iris data set: 150 rows, 4 features, 3 species.

    >>> X, y = load_iris(return_X_y=True)
    >>> X.shape, np.bincount(y).tolist()
    ((150, 4), [50, 50, 50])
    """
    names = ["setosa", "versicolor", "virginica"]
    return handed_over(numbers_bunch("iris.csv", IRIS, names), return_X_y, as_frame)


def load_wine(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the wine data set: 178 rows, 13 features, 3 growers.

    >>> load_wine().feature_names[:3]
    ['alcohol', 'malic_acid', 'ash']
    """
    names = ["class_0", "class_1", "class_2"]
    return handed_over(numbers_bunch("wine.csv", WINE, names), return_X_y, as_frame)


def load_breast_cancer(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the breast cancer data set: 569 rows, 30 features, malignant (0) or benign (1).

    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X.shape, np.bincount(y).tolist()
    ((569, 30), [212, 357])
    """
    return handed_over(numbers_bunch("breast_cancer.csv.gz", CANCER, ["malignant", "benign"]), return_X_y, as_frame)


@checked(n_class=limits(at_least=1, at_most=10))
def load_digits(*, n_class: int = 10, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the handwritten digits below n_class as 64 features, and as images of 8 by 8 pixels.

    >>> load_digits(n_class=2).images.shape
    (360, 8, 8)
    """
    bunch = numbers_bunch("digits.csv.gz", DIGITS, np.arange(10))
    kept = bunch.target < n_class
    bunch.data, bunch.target = bunch.data[kept], bunch.target[kept]
    bunch.images = bunch.data.reshape(-1, 8, 8)
    return handed_over(bunch, return_X_y, as_frame)


def load_weather(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the weather data set: 14 days, 4 categorical features, and whether tennis was played (0 no, 1 yes).

    >>> weather = load_weather()
    >>> weather.data[0].tolist(), weather.target_names[weather.target[0]].item()
    (['sunny', 'hot', 'high', 'weak'], 'no')
    """
    return handed_over(texts_bunch("weather.csv", WEATHER), return_X_y, as_frame)


def load_borrowers(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load the borrowers data set: 10 people, a column of each common type, and whether they defaulted (0 no, 1 yes).

    >>> load_borrowers().data[0].tolist()
    ['yes', 'single', 38.0, 126.5]
    """
    return handed_over(texts_bunch("borrowers.csv", BORROWERS, ("age", "income")), return_X_y, as_frame)
