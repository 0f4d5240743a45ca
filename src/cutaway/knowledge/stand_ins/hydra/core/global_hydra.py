"""The state of a hydra application."""


class GlobalHydra:
    @classmethod
    def instance(cls):
        return cls()

    def clear(self):
        pass

    def is_initialized(self):
        return False
