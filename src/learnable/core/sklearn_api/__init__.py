"""Compatibility with scikit-learn: tags, metadata routing, output containers, configuration, mixins."""
