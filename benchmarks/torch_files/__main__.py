"""Save ten networks in every form, read the files, and compare them with the running networks.

    python -m benchmarks.torch_files [--only NETWORK...] [--forms FORM...] [--details]

A row counts the facts of one form that are equal, unknown or wrong, over all networks. The facts are those of `cutaway verify`,
as far as the form holds them: a file of weights has names, shapes and types, an archive of torch.export has operations of its
own, which are compared with a run of its graph.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

import cutaway
from benchmarks.torch_files.forms import CHECKPOINTS, FORMS
from benchmarks.torch_files.graph_run import compare_graph
from benchmarks.torch_files.networks import NETWORKS
from benchmarks.torch_files.script_run import compare_script
from cutaway.core.architecture import Architecture
from cutaway.live.construction import observed
from cutaway.live.torch_inspection import Arguments, inspected
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, Fact, compare
from cutaway.passes.cost import with_totals

ROOT = str(Path(__file__).parents[2])
SOURCE = f"{ROOT}/benchmarks/torch_files/networks.py"


def words(inputs: tuple[Any, ...]) -> list[str]:
    """Return inputs as the command line takes them."""
    return [f"{'x'.join(map(str, each.shape))}:{str(each.dtype).removeprefix('torch.')}" for each in inputs]


def running(network: Any, inputs: tuple[Any, ...]) -> Architecture:
    """Return what a network is and does when it is called."""
    seen, error = inspected(network, Arguments(inputs))
    assert error is None, error
    return with_totals(seen)


def facts_of(form: str, path: Path, live: Architecture, inputs: tuple[Any, ...]) -> Iterable[Fact]:
    """Return the facts of a file that are compared."""
    given = words(inputs)
    if form in ("whole", "whole, legacy"):
        loaded = torch.load(path, weights_only=False)  # the settings that are left are attributes
        return compare(cutaway.show(str(path), input=given, path=ROOT, isolated=False)[0], running(loaded, inputs))
    if form in ("traced", "scripted", "mobile"):
        found = cutaway.show(str(path), input=given, isolated=False)[0]
        return compare_script(found, live, path, inputs, form == "traced")
    if form == "frozen":  # it has neither modules nor parameters
        facts = compare(cutaway.show(str(path), input=given, isolated=False)[0], live)
        return [fact for fact in facts if fact.kind in ("inputs", "outputs", "macs", "faults")]
    return compare_graph(cutaway.show(str(path), isolated=False)[0], live, path)


def weight_facts(found: Architecture, state: dict[str, Any], renamed: str = "") -> Iterator[Fact]:
    """Compare the tensors of a file of weights: names, shapes and types, no more and no fewer."""
    stored = {weight.name: (weight.shape, weight.dtype) for weight in found.weights if weight.persistent}
    expected = {
        renamed + name: (tuple(each.shape), str(each.dtype).removeprefix("torch.")) for name, each in state.items()
    }
    for name in stored.keys() | expected.keys():
        verdict = EQUAL if stored.get(name) == expected.get(name) else WRONG
        yield Fact("weights", name, verdict, f"{stored.get(name)}, is {expected.get(name)}")


def checkpoint_facts(network: Any, form: str, folder: Path) -> Iterator[Fact]:
    """Compare what a training checkpoint is read as with the state dicts that were put into it."""
    nest, keys = CHECKPOINTS[form]
    path = folder / "checkpoint.pt"
    value = nest(network)
    torch.save(value, path)
    found = {each.name: each for each in cutaway.show(str(path), isolated=False)}
    verdict = EQUAL if tuple(found) == keys else WRONG
    yield Fact("tree", "the networks of the file", verdict, f"{list(found)}, are {list(keys)}")
    for key in keys:
        inner = value
        for part in key.split("."):
            inner = inner[int(part)] if isinstance(inner, (list, tuple)) or part not in inner else inner[part]
        state = inner.state_dict() if isinstance(inner, torch.nn.Module) else inner
        yield from weight_facts(found[key], state) if key in found else ()


def facts(network: Any, inputs: tuple[Any, ...], live: Architecture, form: str, folder: Path) -> Iterable[Fact]:
    """Save a network in one form, and compare what is read."""
    if form in CHECKPOINTS:
        return list(checkpoint_facts(network, form, folder))
    if form == "source":
        call = f"{SOURCE}::{type(network).__name__}()"
        return compare(cutaway.show(call, input=words(inputs), isolated=False)[0], live)
    extension, save = FORMS[form]
    path = folder / f"model.{extension}"
    save(network, inputs, path)
    if form.startswith("state dict"):
        return list(weight_facts(cutaway.show(str(path), isolated=False)[0], network.state_dict()))
    if form == "safetensors":
        from safetensors.torch import load_file

        return list(weight_facts(cutaway.show(str(path), isolated=False)[0], load_file(path)))
    return facts_of(form, path, live, inputs)


def main() -> int:
    """Print a row for each form; return 1 if a fact is wrong."""
    forms = ("source", *FORMS, *CHECKPOINTS)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", choices=sorted(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--forms", nargs="*", choices=forms, default=forms)
    parser.add_argument("--details", action="store_true", help="list facts that are unknown or wrong")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    counts: dict[str, Counter[str]] = {form: Counter() for form in options.forms}
    for name in options.only:
        make, example = NETWORKS[name]
        torch.manual_seed(0)
        with observed():
            network = make().eval()
        inputs = example()
        live = running(network, inputs)
        for form in options.forms:
            with tempfile.TemporaryDirectory() as folder:
                listed = list(facts(network, inputs, live, form, Path(folder)))
            counts[form].update(fact.verdict for fact in listed)
            for fact in listed if options.details else ():
                if fact.verdict != EQUAL:
                    print(f"{name}, {form}: {fact.kind}: {fact.subject}: {fact.verdict}: {fact.detail}"[:200])
    print(f"{'form':24}{EQUAL:>8}{UNKNOWN:>9}{WRONG:>7}")
    for form, row in counts.items():
        print(f"{form:24}{row[EQUAL]:8,}{row[UNKNOWN]:9,}{row[WRONG]:7,}")
    return 1 if any(row[WRONG] for row in counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
