"""Classes of layers, by which mmcv tells them apart."""

from torch.nn.modules.batchnorm import SyncBatchNorm, _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm
