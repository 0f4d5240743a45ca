"""Pairs of programs from collections of bugs: the one with a fault, and the fixed one."""
