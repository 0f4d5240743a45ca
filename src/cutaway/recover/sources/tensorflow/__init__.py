"""Graphs of TensorFlow: the operations of SavedModels, frozen graphs and TensorBoard."""
