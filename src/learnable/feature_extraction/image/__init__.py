"""Images as vectors: patches, graphs of pixels, edges, corners, oriented gradients, keypoints, motion."""

from ...lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
