"""The older name of lightning.pytorch."""

from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer, seed_everything

__version__ = "2.5.0"
