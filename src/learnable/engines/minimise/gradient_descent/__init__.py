"""Steps along gradients of all rows, of some, or of one at a time."""
