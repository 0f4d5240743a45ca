"""Composing a configuration without a program's main function."""

import inspect
import os

from hydra.composition import composed

_FOLDER = []


class initialize:
    def __init__(self, config_path=None, job_name=None, version_base=None, caller_stack_depth=1):
        caller = inspect.currentframe().f_back.f_code.co_filename
        _FOLDER.append(os.path.join(os.path.dirname(os.path.abspath(caller)), config_path or ""))

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        _FOLDER.pop()


class initialize_config_dir(initialize):
    def __init__(self, config_dir, job_name=None, version_base=None):
        _FOLDER.append(config_dir)


class initialize_config_module(initialize):
    def __init__(self, config_module, job_name=None, version_base=None):
        _FOLDER.append(config_module.replace(".", "/"))


def compose(config_name=None, overrides=None, return_hydra_config=False, strict=None):
    config = composed(_FOLDER[-1], config_name, overrides or [])
    if not return_hydra_config:
        del config._content["hydra"]
    return config
