"""HalvingGridSearchCV and HalvingRandomSearchCV are in `learnable.model_selection` without this import."""
