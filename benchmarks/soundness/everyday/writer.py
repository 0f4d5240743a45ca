"""What an everyday program is put together from: idioms with open expressions in them."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.soundness import decisions
from benchmarks.soundness.program import CONSTANT, DATA, FRESH, Decision, Raises, Way

MOST_DECISIONS = 3

_TESTS: list[tuple[str, str, str]] = [
    ("platform", 'sys.platform == "win{k}"', CONSTANT),
    ("processors", "os.cpu_count() > {k}", CONSTANT),
    ("processors", "(os.cpu_count() or 1) % {k}7 == 0", CONSTANT),
    ("tool", 'shutil.which("nvcc{k}") is not None', CONSTANT),
    ("weekday", "datetime.date.today().weekday() == {k}", FRESH),
    ("numpy", "np.random.rand() < 0.{k}", FRESH),
    ("numpy", "np.random.randint(0, {k}0) % 2 == 0", FRESH),
    ("random", "random.uniform(0, {k}) > 0.5", FRESH),
    ("random", "bool(random.getrandbits({k}))", FRESH),
    ("random tensor", "float(torch.rand({k}).mean()) > 0.5", FRESH),
    ("environment", 'bool(int(os.environ.get("DEBUG_{k}", "0")))', CONSTANT),
    ("environment", 'os.environ.get("STAGE_{k}", "dev").startswith("prod")', CONSTANT),
    ("environment", 'os.environ.get("RANK_{k}", "0") != "0"', CONSTANT),
    ("absent file", 'os.path.exists(os.path.join("runs", "last_{k}.pt"))', CONSTANT),
    ("absent file", 'len(glob.glob("shards_{k}/*.bin")) > 0', CONSTANT),
    ("devices", "torch.cuda.device_count() > {k}", CONSTANT),
    ("command line", '"--fast{k}" in sys.argv', CONSTANT),
    ("identifier", "uuid.uuid4().int % 1{k} == 0", FRESH),
    ("threads", "torch.get_num_threads() > {k}", CONSTANT),
]
_NUMBERS = [
    ("random", "random.choice([1, 2, 3][:3 + 0 * {k}])", FRESH),
    ("numpy", "int(np.random.randint(1, 4 + 0 * {k}))", FRESH),
    ("environment", 'int(os.environ.get("DEPTH_{k}", 1))', CONSTANT),
    ("host name", "len(socket.gethostname()) % 3 + 1 + 0 * {k}", CONSTANT),
]

_INDEPENDENT = frozenset(
    ("environment", "absent file", "missing package", "random", "numpy", "random tensor", "identifier", "tool")
)
"""Kinds of which a program may have several: what one is says nothing about another."""


@dataclass
class Idiom:
    """Lines of a program: at its top, in the network's class, in `__init__` and in `forward`; and more files."""

    top: str = ""
    members: str = ""
    init: str = ""
    forward: str = ""
    files: dict[str, str] = field(default_factory=dict)


class Writer:
    """Enters decisions into a program and returns how they are written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.decisions: list[Decision] = []
        self.tests: list[str] = []

    @property
    def is_full(self) -> bool:
        """Whether no more decisions are to be added."""
        return len(self.decisions) >= MOST_DECISIONS

    def enter(self, decision: Decision) -> str:
        """Enter a decision."""
        self.decisions.append(decision)
        return decision.text

    def test(self, in_forward: bool = False) -> str:
        """Return an expression that is true or false; once there are enough, one that is used already."""
        plain = self.tests
        if plain and (self.is_full or self.rng.random() < 0.15):
            return self.rng.choice(plain)
        number = len(self.decisions) + 1
        if in_forward and self.rng.random() < 0.3:
            tests = (
                "x.mean() > 0.{k}",
                "x[0, {k}] < 1",
                "(x > {k}).any()",
                "x.abs().max().item() > {k}",
                "bool((x < {k}).all())",
            )
            return self.enter(Decision(self.rng.choice(tests).format(k=number), (False, True), DATA, "data"))
        while True:
            if self.rng.random() < 0.4:
                decision = decisions.boolean(self.rng, number, False)
            else:
                kind, text, nature = self.rng.choice(_TESTS)
                decision = Decision(text.format(k=number), (False, True), nature, kind)
            if decision.kind in _INDEPENDENT or all(one.kind != decision.kind for one in self.decisions):
                break
        plain.append(decision.text)
        return self.enter(decision)

    def number(self) -> str:
        """Return an expression that is 1, 2 or 3."""
        if self.is_full:
            return f"(3 if {self.rng.choice(self.tests)} else 1)" if self.tests else "2"
        kind, text, nature = self.rng.choice(_NUMBERS)
        return self.enter(Decision(text.format(k=len(self.decisions) + 1), (1, 2, 3), nature, kind))

    def word(self, *words: str) -> str:
        """Return an expression that is one of some strings."""
        if self.is_full:
            return (
                f'("{words[0]}" if {self.rng.choice(self.tests)} else "{words[1]}")' if self.tests else f'"{words[0]}"'
            )
        number = len(self.decisions) + 1
        ways: tuple[Way, ...] = words
        if self.rng.random() < 0.5:
            text = f'os.environ.get("KIND_{number}", "{words[0]}")'
            return self.enter(Decision(text, ways, CONSTANT, "environment"))
        listed = ", ".join(f'"{word}"' for word in (*words, words[0])[: len(words)])
        return self.enter(Decision(f"random.choice([{listed}][0 * {number}:])", ways, FRESH, "random"))

    def failing(self) -> tuple[str, str]:
        """Return an expression that may raise, and the class of the exception."""
        number = len(self.decisions) + 1
        text, error, value = self.rng.choice(
            [
                (f'os.environ["TOKEN_{number}"]', "KeyError", "1"),
                (f'open("notes_{number}.txt").read()', "FileNotFoundError", "text"),
                (f'json.load(open("settings_{number}.json"))', "OSError", 3),
                (f'socket.gethostbyname("node{number}")', "OSError", "10.0.0.1"),
                (f"sys.argv[{number}]", "IndexError", "a"),
            ]
        )
        nature = FRESH if "socket" in text else CONSTANT
        self.enter(Decision(text, (Raises(error), value), nature, "raises"))
        return text, error


Maker = Callable[[Writer, int], Idiom]
"""The writer and the number of the idiom in its program, which ends its names -> the idiom."""

IDIOMS: list[Maker] = []


def idiom(maker: Maker) -> Maker:
    """Enter an idiom."""
    IDIOMS.append(maker)
    return maker


def lines(text: str, depth: int) -> str:
    """Return lines of source, indented."""
    return textwrap.indent(textwrap.dedent(text).strip("\n"), "    " * depth)
