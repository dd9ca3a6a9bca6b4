"""Layout and text of tree diagrams."""
