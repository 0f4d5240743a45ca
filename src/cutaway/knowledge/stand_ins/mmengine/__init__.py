"""mmengine: configurations in Python files, and registries that build what they name."""

from mmengine.config import Config, ConfigDict
from mmengine.registry import Registry, build_from_cfg
