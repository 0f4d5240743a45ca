"""lightning.pytorch, as far as the networks in a program depend on it."""

from lightning.pytorch.core import LightningDataModule, LightningModule
from lightning.pytorch.trainer import Callback, Trainer, seed_everything

__version__ = "2.5.0"
