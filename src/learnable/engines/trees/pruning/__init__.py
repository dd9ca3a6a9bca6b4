"""Ways to make a grown tree smaller."""
