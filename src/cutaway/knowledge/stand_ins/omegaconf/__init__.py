"""OmegaConf: trees of settings that refer to one another."""

from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    MissingMandatoryValue,
    OmegaConfBaseException,
    ReadonlyConfigError,
    ValidationError,
)
from omegaconf.nodes import DictConfig, ListConfig, Node
from omegaconf.omegaconf import II, MISSING, SI, OmegaConf, flag_override, open_dict, read_write

Container = BaseContainer = Node
Resolver = object
