"""Saved models as files of other programs: features, then a linear function or a sum of trees."""
