"""Configurations that are written in Python."""


class ConfigStore:
    _instance = None

    def __init__(self):
        self.repo = {}

    @staticmethod
    def instance():
        if ConfigStore._instance is None:
            ConfigStore._instance = ConfigStore()
        return ConfigStore._instance

    def store(self, name, node, group=None, package=None, provider=None):
        self.repo[name if group is None else f"{group}/{name}"] = node

    def has_group(self, name):
        return any(stored.startswith(f"{name}/") for stored in self.repo)

    def load(self, name):
        return self.repo.get(name)
