"""All tasks, by name, in the order of the table."""

from benchmarks.task import Task
from benchmarks.tasks import (
    boosting,
    choosing,
    clusters_about_centres,
    clusters_by_shape,
    components,
    elastic,
    explaining,
    generative,
    glm,
    greedy,
    isotonic,
    kernel_svm,
    kernels,
    least_squares,
    logistic,
    margins,
    neighbours,
    overhead,
    preprocessing,
    ridge,
    robust,
    sampled,
    scores,
    selection,
    text,
    trees,
)

TASKS: dict[str, Task] = {
    task.name: task
    for module in (
        least_squares,
        ridge,
        elastic,
        glm,
        logistic,
        isotonic,
        robust,
        greedy,
        sampled,
        kernels,
        margins,
        scores,
        selection,
        preprocessing,
        choosing,
        text,
        generative,
        components,
        explaining,
        kernel_svm,
        neighbours,
        clusters_about_centres,
        clusters_by_shape,
        trees,
        boosting,
        overhead,
    )
    for task in module.TASKS
}
