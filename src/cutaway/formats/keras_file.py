"""Files of Keras: `.keras` archives, HDF5 files of whole models or of weights, configurations as JSON or YAML."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture, Note
from cutaway.core.contents import Stored as StoredNumbers
from cutaway.core.error import CutawayError, one_line
from cutaway.core.place import Place
from cutaway.formats import hdf5, stored_weights, weights
from cutaway.formats.beginnings import HDF5, ZIP
from cutaway.formats.description import Description, StoredLayer
from cutaway.formats.hdf5_bytes import Damaged, Window
from cutaway.formats.pickled_tensor import Stored

FRAMEWORK = "keras"
_CONFIG, _WEIGHTS = "config.json", "model.weights.h5"
_LARGEST_CONFIG = 32 << 20
_LARGEST_UNPACKED = 64 << 20
_LARGEST_RATIO = 200
_DEEPEST = 64
_MOST_VALUES = 2_000_000
_IN_PIECES = "they are stored in pieces, or packed"
_CONFIGURATION = re.compile(
    rb"""\s*"?\{\s*\\?"(?:class_name|module|config|backend|keras_version|name)\\?":(?s:.){0,60000}?class_name"""
    rb"""|(?:backend|class_name|config|keras_version):(?s:.){0,60000}?class_name:"""
    rb"""|\s*\{\s*"(?:modelTopology|weightsManifest)"\s*:"""
    rb"""|\s*\{\s*"(?:format|generatedBy|convertedBy|signature)"\s*:(?s:.){0,60000}?"modelTopology"\s*:"""
)
"""How such a text begins; one in JSON may be a string in JSON itself, or part of what TensorFlow.js writes."""


def is_configuration(head: bytes) -> bool:
    """Tell whether a text that begins like this may be a model's configuration in JSON or YAML."""
    return _CONFIGURATION.match(head) is not None and b'"_class_name"' not in head


def read(file: BinaryIO, path: str) -> list[Architecture | Description]:
    """Read a file of weights, or a model's configuration with what is said of its weights."""
    head = file.read(8)
    file.seek(0)
    with _told(path):
        if head.startswith(ZIP):
            return [_archive(file, path)]
        if head.startswith(HDF5):
            return [_hdf5(Window(file), path)]
        return [_text(file, path)]


def stored(file: BinaryIO, path: str, network: Architecture) -> dict[str, StoredNumbers]:
    """Return the weights of a file by the names that its network has for them; they are read while the file is open."""
    (content,) = read(file, path)
    if not isinstance(content, Description):
        window = Window(file)
        content = _alone(window, path)
    if content.layers is None:
        return {}
    return {
        name: StoredNumbers(name, each.dtype or "", each.shape or (), each.numbers, "" if each.numbers else _IN_PIECES)
        for name, each in stored_weights.by_name(network, content)
    }


def _alone(window: Window, path: str) -> Description:
    """Return a file that has only weights as if it had a configuration, too."""
    file = hdf5.File(window)
    root = file.node(file.root)
    named = any(key.startswith("layer_names") for key in root.attributes)
    layers = list(_named_layers(file, root, file.root) if named else _variables(file))
    return Description("", path, path, "", {}, layers, named)


def description(text: str, path: str) -> Description | None:
    """Return what a configuration inside of another file describes; None where it is not one."""
    try:
        config = _parsed(text)
    except (Damaged, ValueError):
        return None
    return Description(_name(config, path), path, path, json.dumps(config), config)


@contextmanager
def _told(path: str) -> Iterator[None]:
    """Say in one line what is wrong with a file."""
    try:
        yield
    except Damaged as error:
        raise CutawayError(f"{path}: {one_line(str(error))}") from None
    except (ValueError, zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise CutawayError(f"{path}: it can't be read: {one_line(str(error)) or 'it is cut off'}") from None


def _archive(file: BinaryIO, path: str) -> Architecture | Description:
    with zipfile.ZipFile(file) as archive:
        if _CONFIG not in archive.NameToInfo:
            raise Damaged(f"it is an archive without {_CONFIG}: not what Keras writes")
        config = _parsed(_unpacked(archive, _CONFIG, _LARGEST_CONFIG).decode("utf-8"))
        layers: list[StoredLayer] | None = None
        unknowns: tuple[Note, ...] = ()
        if _WEIGHTS in archive.NameToInfo:
            try:
                layers = list(_variables(hdf5.File(_member(file, archive, _WEIGHTS))))
            except Damaged as error:
                unknowns = (Note(f"{_WEIGHTS} can't be read: {one_line(str(error))}", Place(path)),)
        return Description(_name(config, path), path, path, json.dumps(config), config, layers, False, unknowns)


def _member(file: BinaryIO, archive: zipfile.ZipFile, name: str) -> Window:
    """Return a file of an archive: in place where it is only stored, unpacked where it is small."""
    info = archive.NameToInfo[name]
    if info.compress_type != zipfile.ZIP_STORED:
        return Window(io.BytesIO(_unpacked(archive, name, _LARGEST_UNPACKED)))
    file.seek(info.header_offset)
    head = file.read(30)
    if head[:4] != ZIP or len(head) < 30:
        raise Damaged(f"{name} is not where the archive says")
    start = info.header_offset + 30 + int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
    file.seek(0, os.SEEK_END)
    return Window(file, start, max(0, min(info.file_size, file.tell() - start)))


def _unpacked(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """Return the content of a small file of an archive, which may say less than there is."""
    info = archive.NameToInfo[name]
    if info.file_size > most or info.file_size > _LARGEST_RATIO * max(info.compress_size, 4096):
        raise Damaged(f"{name} unpacks to {info.file_size:,} bytes, more than is read")
    with archive.open(info) as member:
        content = member.read(most + 1)
    if len(content) > most:
        raise Damaged(f"{name} unpacks to more than {most:,} bytes")
    return content


def _parsed(text: str) -> dict[str, Any]:
    """Return a configuration, if it is one."""
    try:
        found = json.loads(text)
        found = json.loads(found) if isinstance(found, str) else found
    except RecursionError:
        raise Damaged("its configuration is nested too deeply") from None
    if isinstance(found, dict) and isinstance(found.get("modelTopology"), dict):
        found = found["modelTopology"]
        if "node" in found:
            raise Damaged("it is a graph model of TensorFlow.js, which is not supported")
        found = found.get("model_config", found)
    if not isinstance(found, dict) or not isinstance(found.get("class_name"), str):
        raise Damaged("its configuration names no class")
    if _depth(found) > _DEEPEST:
        raise Damaged("its configuration is nested too deeply")
    return found


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        depth += 1
        below = [v.values() if isinstance(v, dict) else v for v in level if isinstance(v, (dict, list))]
        level = [item for items in below for item in items if isinstance(item, (dict, list))]
    return depth


def _name(config: Mapping[str, Any], path: str) -> str:
    settings = config.get("config")
    name = settings.get("name") if isinstance(settings, dict) else None
    return name if isinstance(name, str) else os.path.basename(path)


def _hdf5(window: Window, path: str) -> Architecture | Description:
    file = hdf5.File(window)
    root = file.node(file.root)
    text = root.attributes.get("model_config")
    held = file.at("model_weights")
    home = file.node(held) if held is not None else root
    if "layer_names" in home.attributes or any(key.startswith("layer_names") for key in home.attributes):
        layers = list(_named_layers(file, home, file.root if held is None else held))
        named = True
    else:
        layers, named = list(_variables(file)), False
    if isinstance(text, str):
        config = _parsed(text)
        return Description(_name(config, path), path, path, json.dumps(config), config, layers, named)
    stored = {name: each for layer in layers for name, each in layer.weights}
    if not stored:
        raise Damaged("it is an HDF5 file without datasets")
    return weights.architecture(stored, name=os.path.basename(path), target=path, framework=FRAMEWORK)


def _named_layers(file: hdf5.File, home: hdf5.Node, start: int) -> Iterator[StoredLayer]:
    """Yield layers by their names, with the weights that each lists."""
    layers = _listed(home, "layer_names")
    layers += [each for each in ("top_level_model_weights",) if each in home.links and each not in layers]
    for layer in layers:
        address = home.links.get(layer) or file.at(layer, start)
        if address is None:
            continue
        group = file.node(address)
        named = []
        for name in _listed(group, "weight_names"):
            at = file.at(name, address)
            if at is None:
                raise Damaged(f"{layer}: the weight {name} is missing")
            dataset = file.node(at)
            named.append((name, Stored(dataset.shape or (), _dtype(dataset), None, numbers=file.numbers(dataset))))
        yield StoredLayer((layer,), tuple(named))


def _listed(node: hdf5.Node, key: str) -> list[str]:
    """Return a list of strings, which is split over several attributes where it is long."""
    parts = [node.attributes[key]] if key in node.attributes else []
    at = 0
    while f"{key}{at}" in node.attributes:
        parts.append(node.attributes[f"{key}{at}"])
        at += 1
    return [name for part in parts if isinstance(part, list) for name in part if isinstance(name, str)]


def _variables(file: hdf5.File) -> Iterator[StoredLayer]:
    """Yield the datasets of a file by the groups that they are in; groups may say a layer's name."""
    names: dict[str, str] = {}
    groups: dict[str, list[tuple[str, Stored]]] = {}
    for path, node in file.walk():
        if node.is_dataset:
            home = path.rpartition("/")[0]
            groups.setdefault(home, []).append(
                (path, Stored(node.shape or (), _dtype(node), None, numbers=file.numbers(node)))
            )
        elif path.endswith("vars") and isinstance(node.attributes.get("name"), str):
            names[path.rpartition("/")[0]] = node.attributes["name"]
    for home, stored in groups.items():
        if home.startswith(("optimizer", "_optimizer")):
            continue
        owner = home.rpartition("/")[0] if home.rpartition("/")[2] == "vars" else home
        stored.sort(key=lambda pair: (len(pair[0]), pair[0]) if pair[0].rpartition("/")[2].isdigit() else (0, pair[0]))
        parts = [names[each] for each in _above(owner) if each in names]
        yield StoredLayer(tuple(parts), tuple(stored))


def _above(path: str) -> list[str]:
    parts = path.split("/") if path else []
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _dtype(node: hdf5.Node) -> str | None:
    told = node.attributes.get("dtype")
    return told if node.dtype is None and isinstance(told, str) else node.dtype


def _text(file: BinaryIO, path: str) -> Description:
    text = file.read(_LARGEST_CONFIG + 1)
    if len(text) > _LARGEST_CONFIG:
        raise Damaged("it is larger than a configuration can be")
    decoded = text.decode("utf-8")
    if path.endswith((".yaml", ".yml")):
        decoded = json.dumps(_yaml(decoded))
    config = _parsed(decoded)
    return Description(_name(config, path), path, path, json.dumps(config), config)


def _require_small(value: Any) -> None:
    """Raise for a text whose references stand for more than a configuration can be."""
    waiting, count = [value], 0
    while waiting:
        each = waiting.pop()
        count += 1
        if count > _MOST_VALUES:
            raise Damaged("its references stand for more than a configuration can be")
        if isinstance(each, (dict, list)):
            waiting.extend(each.values() if isinstance(each, dict) else each)


def _yaml(text: str) -> Any:
    """Return what a YAML text says; tags that name Python's tuples are lists, others are refused."""
    import yaml  # type: ignore[import-untyped]  # late: few files are YAML

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Reads what Keras writes."""

    Loader.add_constructor("tag:yaml.org,2002:python/tuple", lambda loader, node: loader.construct_sequence(node))
    try:
        found = yaml.load(text, Loader)
        _require_small(found)
        return found
    except (yaml.YAMLError, RecursionError) as error:
        raise Damaged(f"it is not YAML that Keras writes: {one_line(str(error))}") from None
