"""Training, saving and data: what surrounds a network in Keras."""
