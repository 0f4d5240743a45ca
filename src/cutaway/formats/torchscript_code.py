"""The code of a TorchScript archive as a program of Python.

It is almost one already: names are qualified, types are written out, and functions are those of torch's dispatcher,
which take Python's numbers and lists too. `torchscript_functions.txt` has those that differ.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

ROOT = "__torch__"
_MANGLED = re.compile(r"___torch_mangle_\d+\.")
_FUNCTIONAL = frozenset(
    """adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d avg_pool2d avg_pool3d
    binary_cross_entropy elu elu_ gelu glu hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_ linear mish
    one_hot relu6 scaled_dot_product_attention silu softplus softshrink""".split()
)
_METHODS = frozenset(
    """as_strided_ coalesce contiguous expand_as is_contiguous masked_fill_ reshape_as resize_ stride t_ to_dense
    transpose_ type_as uniform_ normal_ bernoulli_ unsqueeze_ squeeze_ view_as add_ sub_ mul_ div_ addcmul_ addcdiv_ addmm_
    masked_scatter_ pow_ clamp_ remainder_ logical_and_ logical_not_ logical_or_ lt_ gt_ eq_ ne_ le_ ge_ copysign_ cumsum_
    floor_divide_ fmod_ lerp_ random_ new_empty_strided requires_grad_ item""".split()
)
_PLAIN = frozenset(["int", "float", "bool", "str"])
_HOLDING = frozenset(["Optional", "List", "Tuple", "Dict"])
_SLICE_END, _TO_THE_END = 3, str(2**63 - 1)
_DROPPED = frozenset(["layout", "pin_memory", "memory_format", "generator", "non_blocking", "device"])
*_CASTS, _NOT_SET = "annotate unchecked_cast uninitialized".split()
_FORWARD = re.compile(r"forward(\d+|__\d+)?")


@dataclass(slots=True)
class Class:
    """A class of the archive: its name in the program, its own names, and what it says of its attributes."""

    flat: str
    qualified: str
    is_module: bool
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    constants: dict[str, object] = field(default_factory=dict)
    methods: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Code:
    """The definitions of an archive in Python, and its classes by their qualified names."""

    text: str
    classes: Mapping[str, Class]


def display_name(qualified: str) -> str:
    """Return the name of a class as it was before it was saved."""
    return _MANGLED.sub("", qualified).removeprefix(f"{ROOT}.")


def translate(sources: Mapping[str, str]) -> Code:
    """Translate the files of an archive, by the qualified names of their modules."""
    trees = {name: ast.parse(text) for name, text in sources.items()}
    classes: dict[str, Class] = {}
    functions: dict[str, str] = {}
    for home, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                qualified = f"{home}.{node.name}"
                classes[qualified] = _class(node, f"_C{len(classes)}_{node.name}", qualified)
            elif isinstance(node, ast.FunctionDef):
                functions[f"{home}.{node.name}"] = f"_f{len(functions)}_{node.name}"
    names = {**{name: each.flat for name, each in classes.items()}, **functions}
    lines = []
    for home, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                about = classes[f"{home}.{node.name}"]
                lines.append(ast.unparse(ast.fix_missing_locations(_translated_class(node, about, names))))
            elif isinstance(node, ast.FunctionDef):
                node.name = functions[f"{home}.{node.name}"]
                lines.append(ast.unparse(ast.fix_missing_locations(_Translation(names).visit(node))))
    return Code("\n\n".join(lines), classes)


def _class(node: ast.ClassDef, flat: str, qualified: str) -> Class:
    bases = [ast.unparse(base) for base in node.bases]
    found = Class(flat, qualified, "Module" in bases)
    for statement in node.body:
        match statement:
            case ast.Assign([ast.Name("__parameters__")], ast.List(items)):
                found.parameters = tuple(_texts(items))
            case ast.Assign([ast.Name("__buffers__")], ast.List(items)):
                found.buffers = tuple(_texts(items))
            case ast.AnnAssign(ast.Name(name), _, value) if value is not None:
                try:
                    found.constants[name] = ast.literal_eval(value)
                except ValueError:
                    continue  # inf and the like: it is no setting
    found.methods = frozenset(each.name for each in node.body if isinstance(each, ast.FunctionDef))
    return found


def _texts(items: Iterable[ast.expr]) -> Iterable[str]:
    return (item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str))


def _translated_class(node: ast.ClassDef, about: Class, names: Mapping[str, str]) -> ast.ClassDef:
    bases = {ast.unparse(base) for base in node.bases}
    body: list[ast.stmt] = []
    base: list[ast.expr]
    if "Enum" in bases:
        base = [ast.parse("enum.Enum", mode="eval").body]
        body += [statement for statement in node.body if isinstance(statement, ast.Assign)]
    elif "NamedTuple" in bases:
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign):
                body.append(ast.AnnAssign(statement.target, ast.Name("object"), None, 1))
        base = [ast.parse("typing.NamedTuple", mode="eval").body]
    else:
        base = [ast.parse("torch.nn.Module", mode="eval").body] if about.is_module else []
        first = "forward" if "forward" in about.methods else "forward__0"
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                if statement.name == first:
                    statement.name = "forward"
                body.append(_Translation(names).visit(statement))
        if not about.is_module and "forward" in about.methods:
            body.append(ast.parse("def __call__(self, *args):\n return self.forward(*args)").body[0])
    return ast.ClassDef(about.flat, base, [], body or [ast.Pass()], [])


@cache
def functions() -> str:
    """Return the functions that differ from those that Python programs call."""
    return files("cutaway.formats").joinpath("torchscript_functions.txt").read_text(encoding="utf-8")


@cache
def _defined() -> frozenset[str]:
    return frozenset(re.findall(r"\b_(?:ts|prim)_\w+", functions()))


def _annotation(declared: ast.expr | None) -> ast.expr | None:
    """Return the type of an argument as Python writes it; None where it names a class of the archive."""
    match declared:
        case ast.Name("Tensor"):
            return ast.parse("torch.Tensor", mode="eval").body
        case ast.Name(name) if name in _PLAIN:
            return declared
        case ast.Subscript(ast.Name(name), items) if name in _HOLDING:
            inner = [_annotation(each) for each in (items.elts if isinstance(items, ast.Tuple) else [items])]
            known = [each for each in inner if each is not None]
            if known and len(known) == len(inner):
                index = known[0] if len(known) == 1 else ast.Tuple(known, ast.Load())
                return ast.Subscript(ast.parse(f"typing.{name}", mode="eval").body, index, ast.Load())
    return None


class _Translation(ast.NodeTransformer):
    """Turns the names and calls of TorchScript into those of Python."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        for argument in [*node.args.args, *node.args.kwonlyargs]:
            argument.annotation = _annotation(argument.annotation) if node.name == "forward" else None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        value: ast.expr = self.visit(node.value)
        return ast.Assign([node.target], value, lineno=1)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(f"_{node.id}", node.ctx) if node.id in ("inf", "nan") else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        text = ast.unparse(node)
        if text.startswith("CONSTANTS."):
            return ast.Name(f"_{node.attr}", ast.Load())
        if text.startswith(f"{ROOT}."):
            known = text
            while known and known not in self._names:
                known = known.rpartition(".")[0]
            if known:
                return ast.parse(self._names[known] + text[len(known) :], mode="eval").body
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in _CASTS and len(node.args) == 2:
            return self.visit(node.args[1])  # type: ignore[no-any-return]
        if isinstance(node.func, ast.Name) and node.func.id == _NOT_SET:
            return ast.Constant(None)
        if not isinstance(node.func, ast.Attribute):
            self.generic_visit(node)
            return node
        home = ast.unparse(node.func.value)
        name = node.func.attr
        if home == "torch" and name != "device":
            return self._operation(node, name)
        if home in ("ops.prim", "ops.aten"):
            return self._operation(node, name, "_prim_" if home == "ops.prim" else "_ts_")
        if home.startswith("ops."):
            self.generic_visit(node)
            node.func = ast.parse(f"torch.{home}.{name}", mode="eval").body
            return node
        if _FORWARD.fullmatch(name) and not home.startswith(ROOT):
            return self._module_call(node, name)
        self.generic_visit(node)
        return node

    def _module_call(self, node: ast.Call, name: str) -> ast.AST:
        """Call a module as Python does, so that the call is known as one of the module."""
        assert isinstance(node.func, ast.Attribute)
        module = self.visit(node.func.value)
        self.generic_visit(node)
        if name in ("forward", "forward__0"):
            node.func = module
        else:
            node.func = ast.Call(ast.Name("_again", ast.Load()), [module, ast.Constant(name)], [])
        return node

    def _operation(self, node: ast.Call, name: str, prefix: str = "_ts_") -> ast.AST:
        """Call the function that stands for an operator."""
        assert isinstance(node.func, ast.Attribute)
        arguments = [self.visit(each) for each in node.args]
        if name == "slice" and len(arguments) > _SLICE_END and ast.unparse(arguments[_SLICE_END]) == _TO_THE_END:
            arguments[_SLICE_END] = ast.Constant(None)  # a size that is not known is not compared with it
        keywords = []
        for each in node.keywords:
            if each.arg in _DROPPED:
                continue
            value = self.visit(each.value)
            if each.arg == "dtype":
                value = ast.Call(ast.Name("_dtype", ast.Load()), [value], [])
            keywords.append(ast.keyword(each.arg, value))
        function: ast.expr
        if f"{prefix}{name}" in _defined():
            function = ast.Name(f"{prefix}{name}", ast.Load())
        elif prefix == "_prim_":
            function = ast.parse(f"torch.ops.prim.{name}", mode="eval").body
        elif name in _FUNCTIONAL:
            function = ast.parse(f"F.{name}", mode="eval").body
        elif name in _METHODS and arguments:
            function = ast.Attribute(arguments.pop(0), name, ast.Load())
        elif name.startswith(("linalg_", "fft_", "special_")):
            function = ast.parse(f"torch.{name.replace('_', '.', 1)}", mode="eval").body
        else:
            function = ast.Attribute(ast.Name("torch", ast.Load()), name, ast.Load())
        return ast.Call(function, arguments, keywords)
