"""Static results against what the live model is, model by model."""
