"""Kernel machines: the dual problem, its solvers, and kernel values computed as they are needed."""
