"""Archives of torch.export: the graph with the sizes that were recorded in it, and the modules that its nodes are from."""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from cutaway.core.architecture import (
    Architecture,
    Module,
    Note,
    Op,
    Quantity,
    Setting,
    Shape,
    Value,
    Weight,
)
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.formats import exported_regions
from cutaway.formats.exported_calls import Border, Level, module_calls, result_names
from cutaway.formats.exported_cost import macs
from cutaway.formats.exported_size import size

CALLS = "what a module is given and returns is taken to be what other parts of the graph give it and use of it"
APART = "the file does not tell which weights share their memory: each is counted"
_LARGEST = 96 << 20
_OLD = "serialized_exported_program.json"
DTYPES = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64",
    9: "complex32", 10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16", 29: "float8_e4m3fn",
    30: "float8_e5m2", 31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu", 34: "uint32", 35: "uint64",
}  # fmt: skip
_LINE = re.compile(r'File "([^"\n]*)", line (\d+)')
_NO_MODULE = "_empty_nn_module_stack_from_metadata_hook"
"""What torch writes for operations that it has added itself."""
_AGAIN = re.compile(r"@\d+")
_VIEWS = frozenset(
    """view reshape transpose permute t expand squeeze unsqueeze slice select alias detach split chunk unbind flatten
    unflatten view_as narrow diagonal movedim swapaxes getitem""".split()
)


def find(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the graphs of an archive; none where it is of another kind."""
    found = []
    for entry in archive.infolist():
        parts = entry.filename.split("/")
        if (len(parts) in (2, 3) and parts[-2] == "models" and parts[-1].endswith(".json")) or parts[-1] == _OLD:
            found.append(entry)
    return found


def is_archive(file: BinaryIO) -> bool:
    """Tell whether a file is an archive of torch.export; one that can't be opened is none."""
    try:
        with zipfile.ZipFile(file) as archive:
            return bool(find(archive))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the graphs of an archive."""
    with zipfile.ZipFile(file) as archive:
        networks = []
        entries = find(archive)
        for entry in entries:
            if entry.file_size > _LARGEST:
                raise CutawayError(f"{path}: {entry.filename} has {entry.file_size:,} bytes, more than is read")
            try:
                document = json.loads(archive.read(entry))
            except (ValueError, RecursionError) as error:
                raise CutawayError(f"{path}: {entry.filename} is not JSON: {one_line(str(error))}") from None
            name = os.path.splitext(os.path.basename(entry.filename))[0]
            is_only = len(entries) == 1
            target = path if is_only else f"{path}::{name}"
            try:
                networks.append(
                    _Graph(document, path, _memory(archive, name)).architecture(
                        os.path.basename(path) if is_only else name, target
                    )
                )
            except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
                raise CutawayError(f"{path}: {entry.filename}: {one_line(repr(error))} is not expected there") from None
        return networks


def _memory(archive: zipfile.ZipFile, name: str) -> dict[str, str] | None:
    """Return where each weight of a graph is stored, and how it lies there; None where the archive does not tell."""
    end = f"/data/weights/{name}_weights_config.json"
    entry = next((each for each in archive.infolist() if f"/{each.filename}".endswith(end)), None)
    if entry is None or entry.file_size > _LARGEST:
        return None
    layout = ("sizes", "strides", "storage_offset", "dtype")
    return {
        weight: json.dumps([about["path_name"], *((about.get("tensor_meta") or {}).get(key) for key in layout)])
        for weight, about in json.loads(archive.read(entry))["config"].items()
    }


@dataclass(slots=True)
class _Graph:
    """A graph of an exported program."""

    document: Any
    path: str
    memory: dict[str, str] | None
    weights: dict[str, Weight] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    classes: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, Setting] = field(
        default_factory=dict
    )  # sizes that are computed, by the names of what computes them

    def architecture(self, name: str, target: str) -> Architecture:
        """Return the network that the graph is of."""
        module = self.document["graph_module"]
        graph, signature = module["graph"], module["signature"]
        values = graph["tensor_values"]
        self.sizes = dict(_sizes(graph.get("sym_int_values") or {}))
        inputs = self._inputs(signature["input_specs"], values)
        ops, stacks = [], []
        unread: dict[Note, None] = {}
        for node, known in exported_regions.nodes(graph):
            stack = self._stack((node.get("metadata") or {}).get("nn_module_stack") or "")
            op = self._op(node, known, stack[-1].path if stack else "")
            ops.append(op)
            stacks.append(stack)
            if any("as_graph" in each["arg"] for each in node["inputs"]):
                unread.setdefault(
                    Note(f"{one_line(op.op)}: what its inner graphs call is not read", Place(self.path), op.module)
                )
        call_graph = module.get("module_call_graph") or ()
        results = [
            list(_tensors(spec["user_output"]["arg"])) for spec in signature["output_specs"] if "user_output" in spec
        ]
        names = result_names(call_graph, len(results))
        outputs = [self._value(each, values, name) for name, made in zip(names, results) for each in made]
        modules = self._modules([entry["fqn"] for entry in call_graph])
        border = Border(self.weights.keys(), inputs, [self._value(each, values) for made in results for each in made])
        calls = module_calls(ops, stacks, border)
        return Architecture(
            name=name,
            target=target,
            framework="pytorch",
            inputs=tuple(inputs),
            outputs=tuple(outputs),
            modules=tuple(
                Module(path, shown.rpartition(".")[2], shown, calls=tuple(calls.get(path, ())))
                for path, shown in modules.items()
            ),
            weights=tuple(self._tied()),
            ops=tuple(ops),
            results=tuple(self.names.get(each, each) for made in results for each in made),
            unknowns=tuple(unread),
            assumptions=(
                Note(CALLS, Place(self.path)),
                *([Note(APART, Place(self.path))] if self.memory is None and self.weights else []),
            ),
        )

    def _tied(self) -> Iterable[Weight]:
        """Yield the parameters, then the buffers; those that are stored at the same place are the very same."""
        first: dict[str, str] = {}
        for weight in sorted(self.weights.values(), key=lambda each: each.kind == "buffer"):
            place = (self.memory or {}).get(weight.name, weight.name)
            same = first.setdefault(place, weight.name)
            yield weight if same == weight.name else replace(weight, tied_to=same)

    def _inputs(self, specs: Iterable[Any], values: Mapping[str, Any]) -> list[Value]:
        inputs = []
        for spec in specs:
            for kind, key in (("parameter", "parameter_name"), ("buffer", "buffer_name")):
                if kind in spec:
                    own = spec[kind]["arg"]["name"]
                    weight = spec[kind][key]
                    self.names[own] = weight
                    about = values[own]
                    self.weights[weight] = Weight(
                        weight,
                        _shape(about),
                        DTYPES.get(about["dtype"]),
                        kind,
                        kind == "parameter" and bool(about.get("requires_grad")),
                        persistent=spec[kind].get("persistent", True) is not False,
                    )
            for each in _tensors(spec["user_input"]["arg"]) if "user_input" in spec else ():
                inputs.append(self._value(each, values))
        return inputs

    def _value(self, name: str, values: Mapping[str, Any], shown: str | None = None) -> Value:
        about = values.get(name)
        own = self.names.get(name, name) if shown is None else shown
        return Value(own, _shape(about), DTYPES.get(about["dtype"])) if about else Value(own, None, None)

    def _op(self, node: Any, values: Mapping[str, Any], module: str) -> Op:
        attributes: dict[str, Setting] = {}
        inputs: list[Value] = []
        for argument in node["inputs"]:
            names = list(_tensors(argument["arg"]))
            inputs += [self._value(each, values) for each in names]
            setting = _setting(argument["arg"], self.sizes)
            if not names or isinstance(setting, list):
                attributes[str(argument.get("name") or len(attributes))] = setting
        outputs = [self._value(each, values) for made in node["outputs"] for each in _tensors(made)]
        name = str(node["target"]).removeprefix("torch.ops.")
        lines = _LINE.findall((node.get("metadata") or {}).get("stack_trace") or "")
        parts = name.split(".")
        return Op(
            name,
            attributes,
            tuple(inputs),
            tuple(outputs),
            module,
            Place(lines[-1][0], int(lines[-1][1])) if lines else None,
            macs(name, inputs, outputs),
            allocates=len(parts) < 2 or (parts[1] not in _VIEWS and not parts[1].endswith("_")),
        )

    def _stack(self, text: str) -> list[Level]:
        """Return the modules that a node is in, the innermost last, and keep their classes."""
        levels = []
        for entry in text.split(";") if text else ():
            parts = entry.split(",")
            if len(parts) == 3 and parts[0] != _NO_MODULE:
                path = _AGAIN.sub("", parts[1])
                kind = one_line(parts[2])
                self.classes.setdefault(path, kind)
                levels.append(Level(f"{parts[0]},{parts[1]}", path, kind))
        return levels

    def _modules(self, listed: Iterable[str]) -> dict[str, str]:
        """Return the modules with their classes, parents before children."""
        paths = dict.fromkeys(["", *(_AGAIN.sub("", each) for each in listed), *self.classes])
        for weight in self.weights.values():
            paths.setdefault(weight.module or "")
        for path in list(paths):
            parts = path.split(".") if path else []
            paths.update(
                (".".join(parts[:at]), None) for at in range(1, len(parts)) if ".".join(parts[:at]) not in paths
            )
        order = {path: at for at, path in enumerate(paths)}
        children: dict[str, list[str]] = {}
        for path in paths:
            if path:
                children.setdefault(path.rpartition(".")[0], []).append(path)
        found: dict[str, str] = {}
        waiting = [""]
        while waiting:
            path = waiting.pop()
            found[path] = self.classes.get(path, "")
            waiting += sorted(children.get(path, ()), key=order.__getitem__, reverse=True)
        return found


def _shape(about: Any) -> Shape:
    sizes: list[Quantity] = []
    for each in about["sizes"]:
        sizes.append(each["as_int"] if "as_int" in each else size(each["as_expr"]["expr_str"]))
    return tuple(sizes)


def _tensors(argument: Any) -> Iterable[str]:
    """Yield the names of the tensors in an argument."""
    if not isinstance(argument, dict):
        return
    for key, value in argument.items():
        if key in ("as_tensor", "as_optional_tensor") and isinstance(value, dict):
            inner = value.get("as_tensor", value)
            if isinstance(inner, dict) and isinstance(inner.get("name"), str):
                yield inner["name"]
        elif key in ("as_tensors", "as_optional_tensors") and isinstance(value, list):
            for each in value:
                yield from _tensors(each if "as_tensor" in each else {"as_tensor": each})
        elif key == "name" and isinstance(value, str):
            yield value


def _sizes(values: Mapping[str, Any]) -> Iterator[tuple[str, Setting]]:
    """Yield the sizes that a graph computes, by name; those that no expression says are left out."""
    for name, about in values.items():
        expression = (about.get("as_expr") or {}).get("expr_str")
        known = about.get("as_int") if expression is None else size(expression)
        if known is not None:
            yield name, known


def _setting(argument: Any, sizes: Mapping[str, Setting]) -> Setting:
    """Return the value of an argument that is not a tensor."""
    if not isinstance(argument, dict) or "as_none" in argument or not argument:
        return None
    kind, value = next(iter(argument.items()))
    if kind == "as_scalar_type":
        return DTYPES.get(value, str(value))
    if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
        return _symbol(value, sizes)
    if kind == "as_optional_tensors":
        # The tensors are among the inputs; which of them are left out is not.
        return (
            [None if "as_none" in each else "tensor" for each in value] if any("as_none" in e for e in value) else None
        )
    if kind == "as_sym_ints":
        return [_symbol(each, sizes) for each in value]
    if kind == "as_device":
        return str(value.get("type"))
    plain = isinstance(value, (bool, int, float, str)) or (
        isinstance(value, list) and all(isinstance(each, (bool, int, float, str)) for each in value)
    )
    return value if plain else None


def _symbol(value: Any, sizes: Mapping[str, Setting]) -> Setting:
    if not isinstance(value, dict):
        return None
    number = value.get("as_int", value.get("as_float", value.get("as_bool")))
    name = str(value.get("as_name"))
    return number if number is not None else sizes.get(name, name)
