"""tqdm: loops over what it is given, and shows nothing."""


class tqdm:
    def __init__(self, iterable=None, desc=None, total=None, *args, **kwargs):
        self.iterable, self.desc, self.n = iterable, desc, 0
        self.total = len(iterable) if total is None and hasattr(iterable, "__len__") else total
        self.disable = kwargs.get("disable", False)

    def __iter__(self):
        return iter(self.iterable)

    def __len__(self):
        return self.total if self.iterable is None else len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        pass

    def update(self, n=1):
        self.n += n

    def close(self):
        pass

    def _show(self, *args, **kwargs):
        pass

    set_description = set_description_str = set_postfix = set_postfix_str = refresh = clear = reset = unpause = _show

    @classmethod
    def write(cls, *args, **kwargs):
        pass

    @classmethod
    def pandas(cls, *args, **kwargs):
        pass


tqdm_notebook = tqdm


def trange(*args, **kwargs):
    return tqdm(range(*args), **kwargs)


tnrange = trange
