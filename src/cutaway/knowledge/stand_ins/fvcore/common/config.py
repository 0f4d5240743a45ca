"""fvcore.common.config: yacs with files that build on others."""

import os

import yaml
from yacs.config import CfgNode as _CfgNode

BASE_KEY = "_BASE_"


class CfgNode(_CfgNode):
    @classmethod
    def load_yaml_with_base(cls, filename, allow_unsafe=False):
        with open(filename) as file:
            settings = yaml.safe_load(file)
        if BASE_KEY not in settings:
            return settings
        base = settings.pop(BASE_KEY)
        if not base.startswith("/"):
            base = os.path.join(os.path.dirname(filename), base)
        below = cls.load_yaml_with_base(base)
        _merge(settings, below)
        return below

    def merge_from_file(self, cfg_filename, allow_unsafe=False):
        self.merge_from_other_cfg(type(self)(self.load_yaml_with_base(cfg_filename)))


def _merge(settings, below):
    for key, value in settings.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _merge(value, below[key])
        else:
            below[key] = value
