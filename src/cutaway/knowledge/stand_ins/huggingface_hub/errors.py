"""huggingface_hub.errors: what strict data classes raise."""


class StrictDataclassError(Exception):
    pass


class StrictDataclassDefinitionError(StrictDataclassError):
    pass


class StrictDataclassFieldValidationError(StrictDataclassError):
    def __init__(self, field, cause):
        super().__init__(f"Validation error for field '{field}':\n    {cause.__class__.__name__}: {cause}")


class StrictDataclassClassValidationError(StrictDataclassError):
    def __init__(self, validator, cause):
        super().__init__(
            f"Class validation error for validator '{validator}':\n    {cause.__class__.__name__}: {cause}"
        )
