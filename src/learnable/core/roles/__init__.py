"""Roles of estimators: what each kind of estimator is and which public methods it has."""
