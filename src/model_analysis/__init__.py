"""Unique modules and operations of PyTorch networks: the interface of `tt-model-analysis`, built on Cutaway."""

from __future__ import annotations

from model_analysis.extract import extract_pytorch_ops, extract_unique_modules

__all__ = ["extract_pytorch_ops", "extract_unique_modules"]
