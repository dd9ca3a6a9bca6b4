"""Layouts of points by attraction along edges and repulsion of all points; all points of a step move at once."""
