"""The expressions that a generated program leaves open: the machine, the time, chance, files, packages, data.

Those of one program do not depend on each other: every combination of their ways can occur.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.soundness.program import CONSTANT, DATA, FRESH, Decision, Effect, Raises, Stub, Way

Maker = Callable[[int], Decision]
"""The number of a decision in its program -> the decision."""


def _open(kind: str, text: str, nature: str = CONSTANT) -> Maker:
    return lambda k: Decision(text.format(k=k), (False, True), nature, kind)


def _usual(kind: str, text: str, no: Way = False, yes: Way = True) -> Maker:
    """Make a decision that mostly goes the first way."""
    return lambda k: Decision(text.format(k=k), (no, yes), CONSTANT, kind)


def _data(text: str) -> Maker:
    """Make a decision on one of the four features of the trunk."""
    return lambda k: Decision(text.format(k=(k - 1) % 4), (False, True), DATA, "data")


MACHINE: list[Maker] = [
    _open("host name", 'socket.gethostname()[{k}:] == "gpu"'),
    _open("host name", 'platform.node()[{k}] == "n"'),
    _open("user", 'getpass.getuser()[{k}] == "r"'),
    _open("processors", "os.cpu_count() >> {k} & 1"),
    _open("process id", "os.getpid() >> {k} & 1 == 0"),
    _open("identity", "id(object()) >> {k} & 1", FRESH),
    _open("hash", 'hash("key{k}") % 2 == 0'),
    _open("working folder", 'os.getcwd()[-{k}] == "n"'),
]
CHANCE: list[Maker] = [
    _open("time", "int(time.time()) >> {k} & 1", FRESH),
    _open("time", "time.perf_counter_ns() >> {k} & 1 == 0", FRESH),
    _open("time", "datetime.datetime.now().minute >> {k} & 1", FRESH),
    _open("random", "random.random() < 0.{k}", FRESH),
    _open("random", "random.choice([True, False, {k}])", FRESH),
    _open("random", "random.randint(0, 9) > {k}", FRESH),
    _open("random tensor", "torch.rand(1).item() > 0.{k}", FRESH),
    _open("random tensor", "torch.randn({k}).sum() > 0", FRESH),
]
SURROUNDINGS: list[Maker] = [
    _usual("environment", 'os.environ.get("USE_{k}")', None, "1"),
    _usual("environment", '"FLAG_{k}" in os.environ'),
    _usual("environment", 'os.getenv("MODE_{k}", "small") == "large"'),
    _usual("absent file", 'os.path.exists("extra_{k}.json")'),
    _usual("absent file", 'os.path.isfile("weights_{k}.bin")'),
    _usual("absent file", 'pathlib.Path("cache_{k}").exists()'),
    _usual("missing package", 'importlib.util.find_spec("accel{k}") is not None'),
]
DATA_ONLY: list[Maker] = [
    _data("x[0, {k}] > 0"),
    _data("x[1, {k}].item() > 0.5"),
    _data("bool(x[0, {k}] < 0.25)"),
    _data("x[:, {k}].sum() > 1"),
]
NUMBERS: list[Callable[[int], Decision]] = [
    lambda k: Decision(f"random.randint(1, 3 + 0 * {k})", (1, 2, 3), FRESH, "random"),
    lambda k: Decision(
        f'int(os.environ.get("SIZE_{k}", "1"))',
        (1, 2, 3),
        CONSTANT,
        "environment",
    ),
    lambda k: Decision(f"time.localtime().tm_year // {3**k} % 3 + 1", (1, 2, 3), FRESH, "time"),
    lambda k: Decision(f"ord(socket.gethostname()[{k}]) % 3 + 1", (1, 2, 3), CONSTANT, "host name"),
]


def boolean(rng: random.Random, number: int, in_forward: bool) -> Decision:
    """Return a decision that is tested; on numbers in a tensor only where there is one."""
    families = [MACHINE, CHANCE, SURROUNDINGS] + ([DATA_ONLY] * 2 if in_forward else [])
    return rng.choice(rng.choice(families))(number)


def numeric(rng: random.Random, number: int) -> Decision:
    """Return a decision that is 1, 2 or 3."""
    return rng.choice(NUMBERS)(number + 2)


def absent_number(number: int) -> Decision:
    """Return a number that is read from a file, which raises where the file is absent."""
    text = f'int(open("count_{number}.txt").read())'
    ways = (Raises("FileNotFoundError"), 16)
    return Decision(text, ways, CONSTANT, "absent file")


def failing(number: int) -> Decision:
    """Return a call that raises or not, for reasons outside of the program."""
    text = f'socket.gethostbyname("cluster{number}")'
    return Decision(text, (Raises("OSError"), "10.0.0.1"), FRESH, "host name")


def guarded_import(number: int) -> Decision:
    """Return an import that fails where the package is not installed."""
    text = f"import fastops{number}"
    return Decision(text, (Raises("ImportError"), Stub()), CONSTANT, "missing package")


def unseen(number: int, argument: str, effect: str) -> tuple[Decision, Decision]:
    """Return a function of an unseen package that may change its argument, and the import of the package."""
    call = Decision(
        f"tuner{number}.adjust({argument})",
        (Effect("lambda given: given"), Effect(effect)),
        CONSTANT,
        "unseen function",
    )
    return call, Decision(f"import tuner{number}", (Stub(),), CONSTANT, "unseen function")
