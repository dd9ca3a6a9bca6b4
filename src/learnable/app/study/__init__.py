"""From a table and a question to a comparison of models, a diagnosis of the best and a model ready for use."""
