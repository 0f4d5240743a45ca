"""What OmegaConf raises."""


class OmegaConfBaseException(Exception):
    pass


class MissingMandatoryValue(OmegaConfBaseException):
    pass


class ConfigKeyError(OmegaConfBaseException, KeyError):
    pass


class ConfigAttributeError(OmegaConfBaseException, AttributeError):
    pass


class ReadonlyConfigError(OmegaConfBaseException):
    pass


class InterpolationKeyError(OmegaConfBaseException, ValueError):
    pass


class ValidationError(OmegaConfBaseException, ValueError):
    pass
