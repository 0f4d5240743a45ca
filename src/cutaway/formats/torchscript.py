"""TorchScript archives: the tree with its attributes, and a program of Python that builds it and has its code."""

from __future__ import annotations

import io
import math
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Module, Note, Setting
from cutaway.core.dtype import KINDS, itemsize
from cutaway.core.error import one_line
from cutaway.core.place import Place
from cutaway.formats import pickle_machine, weights
from cutaway.formats.pickle_machine import Damaged, Made, Name
from cutaway.formats.pickled_module import is_plain, paths
from cutaway.formats.pickled_tensor import Stored, tensor
from cutaway.formats.torchscript_code import ROOT, Class, Code, display_name, functions, translate

NO_CODE = "the code of the archive can't be read"
_LARGEST = 64 << 20
_MOST_NUMBERS = 64
_CODES = {
    "bool": "?", "uint8": "B", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "float16": "e", "float32": "f",
    "float64": "d",
}  # fmt: skip
_MISSING = "import what_the_archive_does_not_hold as _missing"
_LISTS = {"build_intlist", "build_doublelist", "build_boollist", "build_tensorlist"}


@dataclass(slots=True)
class Archive:
    """What an archive has: its attributes, its constants, its sources, and its storages."""

    root: Made
    constants: tuple[Any, ...]
    code: Code
    file: zipfile.ZipFile
    home: str
    problem: str = ""


@dataclass(slots=True)
class Script:
    """A network that an archive describes, and the program that computes it, if it has one."""

    network: Architecture
    program: str
    problem: str = ""
    tensors: tuple[tuple[str, Stored], ...] = ()


def is_scripted(value: Any) -> bool:
    """Tell whether a description is that of a module of TorchScript."""
    return isinstance(value, Made) and isinstance(value.maker, Name) and value.maker.module.split(".")[0] == ROOT


def read(file: BinaryIO, name: str, target: str) -> Script | None:
    """Read an archive; None where it is of another kind."""
    if file.seek(0) or file.read(4) != b"PK\x03\x04":
        return None
    with zipfile.ZipFile(file) as opened:
        names = {each.filename: each for each in opened.infolist()}
        data = next((n for n in names if n.count("/") == 1 and n.endswith("/data.pkl")), None)
        if data is None:
            return None
        home = data.removesuffix("data.pkl")
        if not any(each.startswith(f"{home}code/") for each in names) and f"{home}constants.pkl" not in names:
            return None
        root = pickle_machine.load(io.BytesIO(_member(opened, names[data])))
        if not is_scripted(root):
            return None
        constants: Any = ()
        if f"{home}constants.pkl" in names:
            constants = pickle_machine.load(io.BytesIO(_member(opened, names[f"{home}constants.pkl"])))
        code, problem = _code(opened, names, home)
        archive = Archive(root, constants if isinstance(constants, tuple) else (), code, opened, home, problem)
        program = "" if problem else _Program(archive).text()
        return Script(_network(archive, name, target), program, problem, tuple(_tensors(archive)))


def _member(opened: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.file_size > _LARGEST:
        raise Damaged(f"{entry.filename} has {entry.file_size:,} bytes, more than a description of weights takes")
    return opened.read(entry)


def _code(opened: zipfile.ZipFile, names: Mapping[str, zipfile.ZipInfo], home: str) -> tuple[Code, str]:
    """Return the classes and functions of an archive, and why they can't be read, if they can't."""
    start = f"{home}code/"
    sources = {}
    for name, entry in names.items():
        if name.startswith(start) and name.endswith(".py"):
            qualified = name.removeprefix(start).removesuffix(".py").replace("/", ".")
            sources[qualified] = _member(opened, entry).decode("utf-8", "replace")
    try:
        return translate(sources), "" if sources else "it has none"
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Code("", {}), one_line(str(error))


def _about(value: Made, code: Code) -> Class:
    qualified = f"{value.maker.module}.{value.maker.name}"
    return code.classes.get(qualified) or Class("", qualified, True)


def _attributes(value: Made) -> dict[str, Any]:
    state = pickle_machine.entries(value.state)
    return state if state is not None else {}


def _kind(about: Class, name: str) -> str | None:
    """Tell what a tensor is; None where the code does not say."""
    if not about.flat:
        return None
    return "parameter" if name in about.parameters else "buffer" if name in about.buffers else "attribute"


def _network(archive: Archive, name: str, target: str) -> Architecture:
    """Return the tree of an archive with its weights, and what its constants and attributes say."""
    modules: list[Module] = []
    named: list[tuple[str, Stored, str | None]] = []
    seen: set[int] = set()
    for path, value in paths(archive.root, lambda each: _submodules(each, archive.code)):
        about = _about(value, archive.code)
        settings: dict[str, Setting] = {}
        for own, each in _attributes(value).items():
            stored = tensor(each)
            kind = _kind(about, own)
            if stored is not None and kind != "attribute":
                trainable = stored.requires_grad if kind == "parameter" else None
                named.append((f"{path}.{own}" if path else own, _with(stored, trainable), kind))
            elif not own.startswith("_") and own != "training" and is_plain(_listed(each)):
                settings[own] = _listed(each)
        if id(value) in seen:
            continue
        seen.add(id(value))
        settings.update((key, each) for key, each in about.constants.items() if is_plain(each))  # type: ignore[misc]
        shown = one_line(display_name(about.qualified))
        modules.append(Module(path, shown.rpartition(".")[2], shown, settings))
    listed = tuple(weights.listed(named))
    place = Place(target.partition("::")[0])
    alike = any(weight.kind == "tensor" for weight in listed)
    return Architecture(
        name=name,
        target=target,
        framework="pytorch",
        modules=tuple(modules),
        weights=(*(w for w in listed if w.kind != "buffer"), *(w for w in listed if w.kind == "buffer")),
        unknowns=(Note(f"{NO_CODE}: {archive.problem}", place),) if archive.problem else (),
        assumptions=(Note(weights.ALIKE, place),) if alike else (),
    )


def _tensors(archive: Archive) -> list[tuple[str, Stored]]:
    """Return the tensors of an archive by name."""
    return [
        (f"{path}.{own}" if path else own, stored)
        for path, value in paths(archive.root, lambda each: _submodules(each, archive.code))
        for own, each in _attributes(value).items()
        if (stored := tensor(each)) is not None
    ]


def _submodules(value: Made, code: Code) -> dict[str, Made]:
    held = _attributes(value).items()
    return {name: each for name, each in held if is_scripted(each) and _about(each, code).is_module}


def _with(stored: Stored, trainable: bool | None) -> Stored:
    return Stored(stored.shape, stored.dtype, stored.storage, stored.offset, trainable, stored.strides)


def _listed(value: Any) -> Any:
    """Return the list that a described list of numbers stands for."""
    if isinstance(value, Made) and isinstance(value.maker, Name) and value.maker.name in _LISTS and value.arguments:
        return value.arguments[0]
    return value


@dataclass(slots=True)
class _Program:
    """Writes the statements that build an archive's module, each object once."""

    archive: Archive
    lines: list[str] = field(default_factory=list)
    objects: dict[int, str] = field(default_factory=dict)
    tensors: dict[Any, str] = field(default_factory=dict)
    folder: str = "data"

    def text(self) -> str:
        """Return the whole program; `_network()` returns the module."""
        self.folder = "constants"
        named = [f"_c{at} = {self._constant(each)}" for at, each in enumerate(self.archive.constants)]
        constants = "\n".join([_MISSING, *self.lines, *named])
        # Defaults of arguments are constants, too, so these come first if they need no class of the archive.
        classes = self.archive.code.text
        parts = [functions(), *((classes, constants) if self.objects else (constants, classes))]
        self.lines = []
        self.folder = "data"
        root = self._object(self.archive.root)
        body = "\n    ".join([*self.lines, f"return {root}"])
        return "\n\n".join([*parts, f"def _network():\n    {body}\n"])

    def _constant(self, value: Any) -> str:
        stored = tensor(value)
        numbers = self._numbers(stored) if stored is not None else None
        if stored is not None and numbers is not None and stored.shape == ():
            return _written(numbers[0])  # a number does wherever a tensor without dimensions does
        return self._value(value)

    def _object(self, value: Made) -> str:
        """Write what builds a module and all below it, and return the variable that holds it."""
        if id(value) in self.objects:
            return self.objects[id(value)]
        variable = f"m{len(self.objects)}"
        self.objects[id(value)] = variable
        about = _about(value, self.archive.code)
        if not about.flat:
            return "_missing.a_class_without_code"
        if value.state is None and len(value.arguments) == 1:  # a member of an enumeration
            return f"{about.flat}({self._value(value.arguments[0])})"
        make = f"{about.flat}()" if about.is_module else f"{about.flat}.__new__({about.flat})"
        self.lines.append(f"{variable} = {make}")
        for name, each in _attributes(value).items():
            stored = tensor(each)
            kind = _kind(about, name) if about.is_module else None
            if kind == "parameter":
                made = "None" if stored is None else self._tensor(stored, True)
                self.lines.append(f"{variable}.register_parameter({name!r}, {made})")
            elif kind == "buffer":
                made = "None" if stored is None else self._tensor(stored, False)
                self.lines.append(f"{variable}.register_buffer({name!r}, {made})")
            elif name.isidentifier() and not (is_scripted(each) and _about(each, self.archive.code).is_module):
                self.lines.append(f"{variable}.{name} = {self._value(each)}")
            elif is_scripted(each):
                self.lines.append(f"{variable}.add_module({name!r}, {self._object(each)})")
        return variable

    def _value(self, value: Any, depth: int = 0) -> str:
        """Return an expression for an attribute."""
        value = _listed(value)
        stored = tensor(value)
        if stored is not None:
            return self._tensor(stored, None)
        if is_scripted(value):
            return self._object(value)
        if value is None or type(value) in (bool, int, str, float):
            return _written(value)
        if depth > 8:
            return "_missing.a_nested_attribute"
        if isinstance(value, (list, tuple)):
            items = ", ".join(self._value(each, depth + 1) for each in value)
            return f"[{items}]" if isinstance(value, list) else f"({items},)" if value else "()"
        entries = value.pairs if isinstance(value, pickle_machine.Table) else None
        if entries is not None:
            pairs = (f"{self._value(key, depth + 1)}: {self._value(each, depth + 1)}" for key, each in entries)
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, Made) and str(value.maker) == "torch.device" and value.arguments:
            return f"torch.device({str(value.arguments[0])!r})"
        if isinstance(value, Made) and str(value.maker).endswith("_pickle.restore_type_tag") and value.arguments:
            return self._value(value.arguments[0], depth + 1)
        return "_missing.an_attribute"

    def _tensor(self, stored: Stored, parameter: bool | None) -> str:
        """Return the variable of a tensor: one for each that is stored, whoever holds it."""
        key = (self.folder, stored.identity or id(stored))
        if key not in self.tensors:
            variable = f"t{len(self.tensors)}"
            self.tensors[key] = variable
            if stored.shape is None or stored.dtype not in KINDS:
                made = "_missing.a_tensor_of_another_kind"
            else:
                numbers = self._numbers(stored)
                dtype = f"dtype=torch.{stored.dtype}"
                made = f"torch.empty({stored.shape!r}, {dtype})"
                if numbers is not None and not parameter:
                    flat = ", ".join(map(_written, numbers))
                    made = f"torch.tensor([{flat}], {dtype}).reshape({stored.shape!r})"
                if parameter:
                    made = f"torch.nn.Parameter({made}, requires_grad={stored.requires_grad})"
            self.lines.append(f"{variable} = {made}")
        return self.tensors[key]

    def _numbers(self, stored: Stored) -> list[Any] | None:
        """Read the numbers of a small tensor, on which the program may depend; None where it is none."""
        storage = stored.storage
        if storage is None or stored.shape is None or storage.dtype not in _CODES or stored.dtype != storage.dtype:
            return None
        count = math.prod(stored.shape)
        expected = 1
        strides: list[int] = []
        for size in reversed(stored.shape):
            strides.insert(0, expected)
            expected *= size
        if count > _MOST_NUMBERS or count == 0 or (stored.strides is not None and list(stored.strides) != strides):
            return None
        width = itemsize(storage.dtype)
        try:
            entry = self.archive.file.getinfo(f"{self.archive.home}{self.folder}/{storage.key}")
        except KeyError:
            return None
        with self.archive.file.open(entry) as member:
            content = member.read((stored.offset + count) * width)[stored.offset * width :]
        if len(content) < count * width:
            return None
        return list(struct.unpack(f"<{count}{_CODES[storage.dtype]}", content))


def _written(value: Any) -> str:
    if type(value) is float and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)
