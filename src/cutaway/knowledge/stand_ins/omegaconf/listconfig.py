"""Another home of a class of OmegaConf."""

from omegaconf.nodes import ListConfig

__all__ = ["ListConfig"]
