"""mmcv.utils: registries, and logging that writes nothing."""

import logging

from mmengine.config import Config, ConfigDict, DictAction
from mmengine.registry import Registry, build_from_cfg
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm

TORCH_VERSION = "2.13.0"


def get_logger(name, log_file=None, log_level=logging.INFO, file_mode="w"):
    return logging.getLogger(name)


def print_log(*args, **kwargs):
    pass


def to_2tuple(value):
    return tuple(value) if isinstance(value, (list, tuple)) else (value, value)


def is_tuple_of(value, kind):
    return isinstance(value, tuple) and all(isinstance(item, kind) for item in value)


def is_str(value):
    return isinstance(value, str)


def digit_version(version):
    return tuple(int(part) for part in version.split("+")[0].split(".") if part.isdigit())
