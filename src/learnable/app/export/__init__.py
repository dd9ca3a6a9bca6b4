"""Export of saved models to ONNX, C and JSON: features, then a linear function or a sum of trees."""
