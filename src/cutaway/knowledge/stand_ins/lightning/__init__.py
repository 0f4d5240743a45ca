"""Lightning: a module with a training loop around it, which is not run."""

from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer, seed_everything
