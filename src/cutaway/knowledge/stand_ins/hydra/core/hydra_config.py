"""Hydra's own settings."""

from omegaconf import OmegaConf

from hydra.composition import OWN


class HydraConfig:
    @staticmethod
    def get():
        return OmegaConf.create(OWN)

    @staticmethod
    def initialized():
        return True

    @classmethod
    def instance(cls):
        return cls()

    def set_config(self, cfg):
        pass
