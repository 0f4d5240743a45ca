"""Inputs that are found from a class alone, against the live models: what is admitted runs, what is excluded fails."""
