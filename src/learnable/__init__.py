"""The whole of a first course in machine learning, behind one interface."""
