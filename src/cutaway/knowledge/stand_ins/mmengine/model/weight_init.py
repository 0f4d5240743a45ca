"""mmengine.model.weight_init: initialisation changes no shape."""

from torch.nn.init import trunc_normal_

from mmengine.model import constant_init, kaiming_init, normal_init, trunc_normal_init, uniform_init, xavier_init
