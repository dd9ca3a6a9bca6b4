"""The names of `learnable.tape`, from the engine."""

from ..engines.tape.creation import concatenate, tensor
from ..engines.tape.gradient import grad, hessian_vector_product, value_and_gradient
from ..engines.tape.gradient_check import GradientCheck, check_gradient
from ..engines.tape.graph import Graph, count_operations
from ..engines.tape.node import Gradients
from ..engines.tape.tensor import Tensor

__all__ = [
    "GradientCheck", "Gradients", "Graph", "Tensor", "check_gradient", "concatenate", "count_operations", "grad",
    "hessian_vector_product", "tensor", "value_and_gradient",
]  # fmt: skip
