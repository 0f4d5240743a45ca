"""What one part of a file takes does not keep the others from being shown."""

import textwrap

import cutaway
from cutaway.interp.analysis.inputs import inference
from cutaway.solve.effort import Unsolved

LONG = """
def work(depth=60):
    return 1 if depth == 0 else work(depth - 1) + work(depth - 1)
"""
NETWORK = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)

    def forward(self, x):
        return self.fc(x)
"""


def shown(tmp_path, *parts):
    file = tmp_path / "net.py"
    file.write_text("\n".join(["from torch import nn", *map(textwrap.dedent, parts)]))
    return [network.name for network in cutaway.show(str(file), timeout=4.0, cache=False) if network.outputs]


def test_a_constructor_that_takes_long_leaves_time_for_other_classes(tmp_path):
    slow = """
    class Slow(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, work())
    """
    assert "Net" in shown(tmp_path, LONG, slow, NETWORK)


def test_a_script_that_takes_long_leaves_time_for_its_classes(tmp_path):
    main = """
    if __name__ == "__main__":
        work()
        net = Net(work())
    """
    other = NETWORK.replace("Net", "Other").replace("(self):", "(self, width):").replace("4", "width")
    assert "Net" in shown(tmp_path, LONG, NETWORK, other, main)


def test_inputs_that_take_too_long_to_infer_are_left_open(tmp_path, monkeypatch):
    def out_of_time(*_arguments):
        raise Unsolved("the time budget ran out")

    monkeypatch.setattr(inference, "_inferred", out_of_time)
    file = tmp_path / "net.py"
    file.write_text("from torch import nn\n" + NETWORK)
    (network,) = cutaway.show(str(file), isolated=False, cache=False)
    assert [weight.name for weight in network.weights] == ["fc.weight", "fc.bias"]
