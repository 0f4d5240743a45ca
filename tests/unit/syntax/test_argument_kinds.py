"""What kind of value an argument is: by its annotation, its default, or its use."""

from __future__ import annotations

import ast

import pytest

from cutaway.syntax.argument_kinds import Kind, NoContext, Use, argument_use

TENSOR_ATTRIBUTES = ("shape", "view", "sum", "float")


def use(arguments: str, *body: str) -> Use:
    """Return what the argument `a` of a function is."""
    text = f"def forward(self, {arguments}):\n" + "\n".join(f"    {line}" for line in body or ["pass"])
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return argument_use(function, "a", NoContext(TENSOR_ATTRIBUTES.__contains__))


@pytest.mark.parametrize(
    ("annotation", "kind"),
    {
        "int": Kind.INTEGER,
        "Optional[float]": Kind.NUMBER,
        "bool | None": Kind.FLAG,
        "'str'": Kind.TEXT,
        "Literal['a', 'b']": Kind.TEXT,
        "torch.Tensor": Kind.TENSOR,
        "Union[int, torch.Tensor]": Kind.TENSOR,
        "Float[Tensor, 'b c']": Kind.TENSOR,
        "list[torch.Tensor]": Kind.SEQUENCE,
        "typing.Dict[str, Tensor]": Kind.MAPPING,
        "Callable[[int], int]": Kind.FUNCTION,
        "Any": None,
        "T": None,
    }.items(),
)
def test_an_annotation(annotation: str, kind: Kind | None) -> None:
    assert use(f"a: {annotation}").kind is kind


@pytest.mark.parametrize(
    ("default", "kind"),
    {"3": Kind.INTEGER, "-1.5": Kind.NUMBER, "True": Kind.FLAG, "'x'": Kind.TEXT, "None": None}.items(),
)
def test_a_default(default: str, kind: Kind | None) -> None:
    assert use(f"a={default}").kind is kind


@pytest.mark.parametrize(
    ("line", "kind"),
    {
        "return range(a)": Kind.INTEGER,
        "return x[:, :a]": Kind.INTEGER,
        "return [x] * a": Kind.INTEGER,
        "return x if a else y": Kind.FLAG,
        "return x if not a else y": Kind.FLAG,
        "return x if a > 3 else y": Kind.NUMBER,
        "return x * (a > 3)": None,
        "return a == 'x'": Kind.TEXT,
        "return [f(x) for x in a]": Kind.SEQUENCE,
        "return f(*a)": Kind.SEQUENCE,
        "return f(**a)": Kind.MAPPING,
        "return a['x']": Kind.MAPPING,
        "return a.get('x')": Kind.MAPPING,
        "return a.image": Kind.OBJECT,
        "return a.shape": Kind.TENSOR,
        "return a[:, 0]": Kind.TENSOR,
        "return a @ x": Kind.TENSOR,
        "return a(x)": Kind.FUNCTION,
        "return a is None": None,
        "return x * a": None,
    }.items(),
)
def test_a_use(line: str, kind: Kind | None) -> None:
    assert use("x, y, a", line).kind is kind


def test_a_use_after_the_variable_is_bound_again_says_nothing() -> None:
    assert use("a", "a = self.layers(a)", "return [x for x in a]").kind is None


def test_an_alias_is_followed() -> None:
    assert list(use("a", "b = a", "return b['x']").parts) == ["x"]


def test_items_in_the_order_of_their_use() -> None:
    assert list(use("a", "return f(a['x']) + a['y']['z']").parts) == ["x", "y"]


def test_items_that_are_asked_for_are_left_out() -> None:
    assert list(use("a", "if 'y' in a:", "    return a['y']", "return a['x']").parts) == ["x"]


def test_an_item_that_forward_sets_itself_is_left_out() -> None:
    assert list(use("a", "a['y'] = 1", "return a['x'] + a['y']").parts) == ["x"]


def test_a_list_that_is_unpacked_has_its_items() -> None:
    unpacked = use("a", "b, c = a", "return range(c)")
    assert {key: part.kind for key, part in unpacked.parts.items()} == {"0": None, "1": Kind.INTEGER}
