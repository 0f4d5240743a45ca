"""Values that every part of Cutaway shares; this package imports nothing else of ours."""
