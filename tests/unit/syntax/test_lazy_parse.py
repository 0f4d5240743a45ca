"""A tree whose functions are parsed late is the tree that Python parses."""

from __future__ import annotations

import ast
import sysconfig
from pathlib import Path

import pytest

from cutaway.syntax import lazy_parse

LONG = "\n".join(f"    value_{i} = {i} + {i}" for i in range(20))
STANDARD = Path(sysconfig.get_paths()["stdlib"])
FILES = sorted(path for folder in ("", "json", "unittest", "email") for path in (STANDARD / folder).glob("*.py"))


def dump(tree: ast.AST) -> str:
    """Return all of a tree but where things end: a class that ends with a function ends with its header."""
    for node in ast.walk(tree):
        for attribute in ("end_lineno", "end_col_offset"):
            if hasattr(node, attribute):
                delattr(node, attribute)
    return ast.dump(tree, include_attributes=True)


def left_out(tree: ast.AST) -> list[str]:
    """Return the functions of a tree that are not parsed yet."""
    waiting, found = [tree], []
    while waiting:
        node = waiting.pop()
        if type(getattr(node, "body", None)) is lazy_parse.Body:
            found.append(node.name)  # type: ignore[attr-defined]
        else:
            waiting.extend(ast.iter_child_nodes(node))
    return sorted(found)


@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.name)
def test_real_files_give_the_same_tree(path: Path) -> None:
    source = path.read_bytes()
    assert dump(lazy_parse.parse(source, path.name)) == dump(ast.parse(source))


CASES = {
    "plain": f"def f(x):\n{LONG}\n    return x\ny = 1\n",
    "async": f"async def f(x):\n{LONG}\n",
    "method": f"class C:\n    def f(self):\n{LONG.replace('    ', '        ')}\n    z = 1\n",
    "annotated": f"def f(x: 'a:b' = ')', *, y=(1, [2])) -> 'dict[str, int]':  # why: so\n{LONG}\n",
    "header in lines": f"def f(\n    x,  # (\n    y={{'a': ')'}},\n):\n{LONG}\n",
    "documented": f'def f():\n    """Words\ndef g():\n  more"""\n{LONG}\n',
    "raw documentation": f'def f():\n    r"""A \\""" quote"""\n{LONG}\n',
    "string out of line": f'def f():\n{LONG}\n    s = """\ndef g():\n    pass\n"""\n    return s\nx = 2\n',
    "quotes in a comment": f'def f():\n{LONG}\n    # three """ quotes\n    return 1\ndef g():\n{LONG}\n',
    "comment out of line": f"def f():\n{LONG}\n# here\n    return 1\n",
    "brackets out of line": f"def f():\n{LONG}\n    a = (\n1, 2\n)\n    return a\n",
    "backslash out of line": f"def f():\n{LONG}\n    a = 1 + \\\n2\n    return a\n",
    "in a string": f'"""\ndef f():\n{LONG}\n"""\ndef g():\n{LONG}\n',
    "in a string of a class": f'class C:\n    """\n    def f():\n{LONG}\n    """\n    x = 1\n',
    "decorated": f"@a(\n  1)\n@b\ndef f():\n{LONG}\n",
    "nested": f"def f():\n{LONG}\n    def g():\n{LONG.replace('    ', '        ')}\n    return g\n",
    "under a condition": f"if x:\n    def f():\n{LONG.replace('    ', '        ')}\nelse:\n    f = None\n",
    "no line at the end": f"def f():\n{LONG}",
    "letters": f"def größe():\n{LONG}\n    return 'ä'\nname = 'ö'\n",
    "tabs": "def f():\n" + LONG.replace("    ", "\t") + "\n",
    "carriage returns": f"def f():\n{LONG}\n".replace("\n", "\r\n"),
    "one line": f"def f(): return {' + '.join('1' * 200)}\nx = 1\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_odd_text_gives_the_same_tree(text: str) -> None:
    source = text.encode()
    assert dump(lazy_parse.parse(source, "x.py")) == dump(ast.parse(source))


def test_a_function_is_parsed_when_it_is_looked_at() -> None:
    tree = lazy_parse.parse(f'def f():\n    """Says."""\n{LONG}\ndef g():\n{LONG}\n'.encode(), "x.py")
    assert left_out(tree) == ["f", "g"]
    assert lazy_parse.documentation(tree.body[0]) == "Says."
    assert left_out(tree) == ["f", "g"]
    assert len(tree.body[0].body) == 21  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", [f"def f():\n{LONG}\nx = (\n", f"def f(\n{LONG}\n"])
def test_a_text_that_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        lazy_parse.parse(text.encode(), "x.py")
