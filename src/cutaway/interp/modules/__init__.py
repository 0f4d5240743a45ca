"""Modules of the target: finding, importing and evaluating them, as late as that makes no difference."""
