"""mmengine.utils.dl_utils, of which base classes of layers are described."""
