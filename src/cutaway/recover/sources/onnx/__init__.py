"""ONNX graphs in terms of PyTorch: one row for each operator, in the file of its family."""
