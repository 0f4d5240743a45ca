"""Scanners of saved files compared: hostile files that they miss, and ordinary files that they flag."""
