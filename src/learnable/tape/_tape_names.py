"""Tensors and their gradients, under their public names."""

from ..engines.tape.creation import concatenate as concatenate
from ..engines.tape.creation import tensor as tensor
from ..engines.tape.node import Gradients as Gradients
from ..engines.tape.tensor import Tensor as Tensor
