"""loguru: a logger that writes nothing."""


class _Logger:
    def _write(self, *args, **kwargs):
        pass

    trace = debug = info = success = warning = error = critical = exception = log = _write
    remove = configure = enable = disable = level = complete = _write

    def add(self, *args, **kwargs):
        return 1

    def bind(self, **kwargs):
        return self

    def opt(self, *args, **kwargs):
        return self

    def patch(self, function):
        return self

    def contextualize(self, **kwargs):
        return self

    def catch(self, *args, **kwargs):
        return args[0] if args and callable(args[0]) else lambda function: function

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass


logger = _Logger()
