"""Every layer and function of Keras that is modelled, against the real Keras with generated arguments."""
