"""Time and memory from a cold start to a finished result, beside torchinfo on the live model."""
