"""A running network to an `Architecture`: the only package that imports a framework, and only when it is asked for."""
