"""Prediction with saved models: chunked reading, conversion of types, prediction, and writing of the results."""
