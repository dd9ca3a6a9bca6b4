"""Graphs of near rows: edges, shortest paths, components, eigenvectors of Laplacians."""
