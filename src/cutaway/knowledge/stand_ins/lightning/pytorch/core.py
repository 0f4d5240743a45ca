"""Modules and data modules of Lightning: their settings are kept in `hparams`."""

import inspect

from torch import nn

import lightning.pytorch.core as _this_module  # a name that it does not have is unknown


class AttributeDict(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(f"Missing attribute {name!r}")

    def __setattr__(self, name, value):
        self[name] = value


class HyperparametersMixin:
    def save_hyperparameters(self, *args, ignore=None, frame=None, logger=True):
        """Keep the arguments of the constructor that calls this, or those that are named or given."""
        variables = (frame or inspect.currentframe().f_back).f_locals
        signature = inspect.signature(type(self).__init__)
        given = {}
        for name, parameter in signature.parameters.items():
            if name == "self" or name not in variables:
                continue
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                given.update(variables[name])
            elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL:
                given[name] = variables[name]
        if args:
            named = {arg: given[arg] for arg in args if isinstance(arg, str)}
            for arg in args:
                if not isinstance(arg, str):
                    named.update(
                        arg if isinstance(arg, dict) else dict(arg.items()) if hasattr(arg, "items") else vars(arg)
                    )
            given = named
        for name in [ignore] if isinstance(ignore, str) else ignore or ():
            given.pop(name, None)
        self.hparams.update(given)

    @property
    def hparams(self):
        if "_hparams" not in self.__dict__:
            self.__dict__["_hparams"] = AttributeDict()
        return self.__dict__["_hparams"]

    @hparams.setter
    def hparams(self, value):  # until Lightning 1.1, programs set it themselves
        self.__dict__["_hparams"] = value

    @property
    def hparams_initial(self):
        return self.hparams


class LightningModule(HyperparametersMixin, nn.Module):
    automatic_optimization = True
    example_input_array = None
    current_epoch = 0
    global_step = 0
    global_rank = 0
    local_rank = 0

    @property
    def trainer(self):
        return _this_module.trainer_of_the_module

    @trainer.setter
    def trainer(self, trainer):
        pass

    @property
    def logger(self):
        return _this_module.logger_of_the_module

    def _nothing(self, *args, **kwargs):
        pass

    log = log_dict = print = toggle_optimizer = untoggle_optimizer = manual_backward = clip_gradients = _nothing
    on_train_start = on_train_epoch_start = on_train_epoch_end = on_validation_epoch_end = on_fit_start = _nothing
    on_train_batch_end = on_train_batch_start = on_validation_start = on_test_epoch_end = setup = _nothing
    configure_optimizers = freeze = unfreeze = _nothing

    @property
    def device(self):
        return next(self.parameters()).device

    def all_gather(self, data, *args, **kwargs):
        return data


class LightningDataModule(HyperparametersMixin):
    def prepare_data(self):
        pass

    def setup(self, stage=None):
        pass
