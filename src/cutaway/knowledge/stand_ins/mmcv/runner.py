"""mmcv.runner, as far as the networks in a program depend on it: nothing is trained or loaded."""

from mmengine.model import BaseModule, ModuleList, Sequential
from mmengine.registry import HOOKS, OPTIMIZERS, RUNNERS


def _unchanged(*args, **options):
    return lambda function: function


auto_fp16 = force_fp32 = _unchanged


def load_checkpoint(model, filename, map_location=None, strict=False, logger=None, revise_keys=()):
    return {}


def load_state_dict(module, state_dict, strict=False, logger=None):
    pass


def get_dist_info():
    return 0, 1


class BaseRunner:
    pass


class Hook:
    pass
