"""How OmegaConf reads what is written `${name}` and `${resolver:argument,argument}`."""

import re

import yaml

_RESOLVER = re.compile(r"\s*([A-Za-z_][\w.]*)\s*:(.*)", re.DOTALL)
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def from_yaml(stream):
    """Read a document; unlike for plain YAML, `1e-4` is a number."""
    return yaml.load(stream, Loader=yaml.LoaderOfOmegaConf)


def parts(text):
    """Return the pieces of a text: pairs of whether it is a reference, and what is written."""
    found, rest = [], text
    while "${" in rest:
        start = rest.index("${")
        end = _end(rest, start + 1)
        if start:
            found.append((False, rest[:start]))
        found.append((True, rest[start + 2 : end]))
        rest = rest[end + 1 :]
    if rest:
        found.append((False, rest))
    return found


def call(reference):
    """Return the name of a resolver and its arguments as they are written, or None for the name of a value."""
    match = _RESOLVER.match(reference)
    return None if match is None else (match.group(1), _arguments(match.group(2)))


def _end(text, opening):
    """Return where the bracket is closed that is opened at a place."""
    expected, quote = [], None
    for at in range(opening, len(text)):
        character = text[at]
        if quote is not None:
            quote = None if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in _CLOSING:
            expected.append(_CLOSING[character])
        elif expected and character == expected[-1]:
            expected.pop()
            if not expected:
                return at
    raise ValueError(f"missing }} in {text!r}")


def _arguments(text):
    found, start, depth, quote = [], 0, 0, None
    for at, character in enumerate(text):
        if quote is not None:
            quote = None if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*found, last] if found or last else []
