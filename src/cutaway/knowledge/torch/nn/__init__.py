"""`torch.nn`: modules, written as torch's own are, over the functions of this package."""
