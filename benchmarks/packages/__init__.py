"""Model packages of many styles: which of their models are read exactly."""
