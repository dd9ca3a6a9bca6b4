"""Regression that outliers hardly move: Huber with an unknown scale, and noise of Student."""
