"""Another home of a class of OmegaConf."""

from omegaconf.nodes import DictConfig

__all__ = ["DictConfig"]
