"""Products of matrices, decompositions and solvers."""
