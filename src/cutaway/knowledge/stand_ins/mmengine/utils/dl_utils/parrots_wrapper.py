"""mmengine.utils.dl_utils.parrots_wrapper: base classes of torch's normalisation layers."""

from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.instancenorm import _InstanceNorm
