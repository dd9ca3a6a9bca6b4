"""What a classifier costs where there is next to nothing to learn: the call itself."""

from __future__ import annotations

from typing import Any

from benchmarks.task import Near, Quality, Task
from benchmarks.tasks.generative import accuracy, gaussian_classes, implementations

FEW: dict[str, Any] = {"n": 50, "p": 3, "k": 2, "m": 50}
CLASSIFIERS = {
    "svc_small": ("svm", "SVC"),
    "linear_svc_small": ("svm", "LinearSVC"),
    "gaussian_nb_small": ("naive_bayes", "GaussianNB"),
    "lda_small": ("discriminant_analysis", "LinearDiscriminantAnalysis"),
    "qda_small": ("discriminant_analysis", "QuadraticDiscriminantAnalysis"),
}

TASKS = tuple(
    Task(
        name=name,
        home=__name__,
        size=f"{where[1]} of {{n}} x {{p}}, {{m}} new rows",
        make=gaussian_classes,
        contenders=implementations(*where),
        quality=Quality("accuracy", accuracy, Near(0.1, higher_is_better=True)),
        full=FEW,
        quick=FEW,
        calls=100,
    )
    for name, where in CLASSIFIERS.items()
)
