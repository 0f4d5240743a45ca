"""Every operator's own test cases, of the onnx package; skipped where it is not installed."""
