"""Robust regression: Huber's loss with concomitant scale, and Student's t noise."""
