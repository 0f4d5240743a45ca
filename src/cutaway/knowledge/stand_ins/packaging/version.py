"""packaging.version: versions are compared by their numbers, then by whether they are released."""

import re

VERSION_PATTERN = r"""
    v?(?:(?:(?P<epoch>[0-9]+)!)?(?P<release>[0-9]+(?:\.[0-9]+)*)(?P<pre>[-_\.]?(?P<pre_l>alpha|a|beta|b|preview|pre|c|rc)[-_\.]?(?P<pre_n>[0-9]+)?)?
    (?P<post>(?:-(?P<post_n1>[0-9]+))|(?:[-_\.]?(?P<post_l>post|rev|r)[-_\.]?(?P<post_n2>[0-9]+)?))?
    (?P<dev>[-_\.]?(?P<dev_l>dev)[-_\.]?(?P<dev_n>[0-9]+)?)?)(?:\+(?P<local>[a-z0-9]+(?:[-_\.][a-z0-9]+)*))?
"""
_REGEX = re.compile(r"^\s*" + VERSION_PATTERN + r"\s*$", re.VERBOSE | re.IGNORECASE)
_LETTERS = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


class InvalidVersion(ValueError):
    pass


class Version:
    def __init__(self, version):
        match = _REGEX.match(version)
        if match is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        parts = match.groupdict()
        self.epoch = int(parts["epoch"] or 0)
        self.release = tuple(int(number) for number in parts["release"].split("."))
        letter = (parts["pre_l"] or "").lower()
        self.pre = (_LETTERS.get(letter, letter), int(parts["pre_n"] or 0)) if parts["pre"] else None
        self.post = int(parts["post_n1"] or parts["post_n2"] or 0) if parts["post"] else None
        self.dev = int(parts["dev_n"] or 0) if parts["dev"] else None
        self.local = parts["local"]

    @property
    def _key(self):
        release = list(self.release)
        while len(release) > 1 and release[-1] == 0:
            release.pop()
        if self.pre is None:
            pre = ("", -1) if self.post is None and self.dev is not None else ("z", 0)
        else:
            pre = self.pre
        post = -1 if self.post is None else self.post
        dev = float("inf") if self.dev is None else self.dev
        local = (
            tuple((part.isdigit(), part.zfill(12)) for part in re.split(r"[-_\.]", self.local)) if self.local else ()
        )
        return self.epoch, tuple(release), pre, post, dev, local

    @property
    def major(self):
        return self.release[0]

    @property
    def minor(self):
        return self.release[1] if len(self.release) > 1 else 0

    @property
    def micro(self):
        return self.release[2] if len(self.release) > 2 else 0

    @property
    def public(self):
        return str(self).split("+", 1)[0]

    @property
    def base_version(self):
        epoch = f"{self.epoch}!" if self.epoch else ""
        return epoch + ".".join(map(str, self.release))

    @property
    def is_prerelease(self):
        return self.dev is not None or self.pre is not None

    @property
    def is_postrelease(self):
        return self.post is not None

    @property
    def is_devrelease(self):
        return self.dev is not None

    def __str__(self):
        text = self.base_version
        if self.pre is not None:
            text += f"{self.pre[0]}{self.pre[1]}"
        if self.post is not None:
            text += f".post{self.post}"
        if self.dev is not None:
            text += f".dev{self.dev}"
        return text + (f"+{self.local}" if self.local else "")

    def __repr__(self):
        return f"<Version({str(self)!r})>"

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key

    def __ne__(self, other):
        return self._key != other._key

    def __lt__(self, other):
        return self._key < other._key

    def __le__(self, other):
        return self._key <= other._key

    def __gt__(self, other):
        return self._key > other._key

    def __ge__(self, other):
        return self._key >= other._key


def parse(version):
    return Version(version)
