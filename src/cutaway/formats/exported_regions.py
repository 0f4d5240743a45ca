"""Graphs inside of a graph of torch.export that are run as they are: what they do is done by the graph around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_RUN_AS_THEY_ARE = ("wrap_with_set_grad_enabled", "wrap_with_autocast")
_MOST_NESTED = 20


def nodes(graph: Any, depth: int = 0) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield the nodes of a graph, each with what is known of tensors; those of inner graphs in the place of what runs them."""
    values = graph["tensor_values"]
    for node in graph["nodes"]:
        inner = _inner(node) if depth < _MOST_NESTED else None
        if inner is None:
            yield node, values
            continue
        label, region = inner
        given = [each["arg"] for each in node["inputs"] if "as_tensor" in each["arg"]]
        names = dict(zip(map(_name, region["inputs"]), map(_name, given)))
        names.update(zip(map(_name, region["outputs"]), map(_name, node["outputs"])))
        for each, about in nodes(region, depth + 1):
            own = {_name(made) for made in each["outputs"] if "as_tensor" in made}
            names.update((name, f"{label}.{name}") for name in own if name not in names and name in values)
            listed = [{**one, "arg": _renamed(one["arg"], names)} for one in each["inputs"]]
            made = [_renamed(one, names) for one in each["outputs"]]
            known = {names.get(name, name): tensor for name, tensor in about.items()}
            yield {**each, "inputs": listed, "outputs": made}, {**values, **known}


def _inner(node: Any) -> tuple[str, Any] | None:
    """Return the graph that a node runs as it is, with its name; None where the node does something else."""
    if str(node["target"]).rpartition(".")[2] not in _RUN_AS_THEY_ARE:
        return None
    found = [each["arg"]["as_graph"] for each in node["inputs"] if "as_graph" in each["arg"]]
    given = sum("as_tensor" in each["arg"] for each in node["inputs"])
    if len(found) != 1:
        return None
    region = found[0]["graph"]
    fits = given == len(region["inputs"]) and len(node["outputs"]) == len(region["outputs"])
    plain = all("as_tensor" in each for each in (*region["inputs"], *region["outputs"], *node["outputs"]))
    return (str(found[0].get("name", "")), region) if fits and plain else None


def _name(argument: Any) -> str:
    return str(argument["as_tensor"]["name"])


def _renamed(argument: Any, names: Mapping[str, str]) -> Any:
    """Return an argument with its tensors under other names."""
    if isinstance(argument, list):
        return [_renamed(each, names) for each in argument]
    if not isinstance(argument, dict):
        return argument
    return {
        key: names.get(value, value) if key == "name" and isinstance(value, str) else _renamed(value, names)
        for key, value in argument.items()
    }
