"""Decision trees: growth, storage, pruning, packing for prediction, and boosting."""
