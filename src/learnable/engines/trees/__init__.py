"""Trees: how they grow, are stored, pruned, packed for prediction and boosted."""
