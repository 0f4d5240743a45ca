"""Ordinary files, as torch, numpy, scikit-learn with joblib and others write them, as far as they are installed."""

from __future__ import annotations

import pickle
import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def write_torch(folder: Path) -> None:
    torch = import_module("torch")
    nn = torch.nn
    kinds = [
        nn.Linear(3, 4), nn.Conv2d(3, 4, 3), nn.LSTM(3, 4), nn.GRU(3, 4, bidirectional=True), nn.TransformerEncoderLayer(8, 2),
        nn.MultiheadAttention(8, 2), nn.BatchNorm2d(4), nn.Embedding(10, 3), nn.Sequential(nn.Linear(3, 3), nn.ReLU()),
        nn.ModuleDict({"a": nn.Linear(2, 2)}), nn.ParameterList([nn.Parameter(torch.zeros(3))]), nn.PReLU(),
    ]  # fmt: skip
    for at, module in enumerate(kinds):
        name = f"{type(module).__name__}{at}"
        optimizer = torch.optim.AdamW(module.parameters())
        for kind, value in {
            "state": module.state_dict(),
            "whole": module,
            "nested": {"model": module.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3},
        }.items():
            torch.save(value, folder / f"{name}-{kind}.pt")
            torch.save(value, folder / f"{name}-{kind}-legacy.pth", _use_new_zipfile_serialization=False)
            torch.save(value, folder / f"{name}-{kind}-p4.bin", pickle_protocol=4)
            with open(folder / f"{name}-{kind}.pkl", "wb") as file:
                pickle.dump(value, file)
    half = {
        "h": torch.zeros(2).half(),
        "b": torch.zeros(2).bfloat16(),
        "s": torch.eye(3).to_sparse(),
        "d": torch.device("cpu"),
    }
    torch.save(half, folder / "kinds.pt")
    torch.save(
        {"size": torch.zeros(2, 3).shape, "dtype": torch.float32, "g": torch.Generator().get_state()},
        folder / "misc.pt",
    )


def write_numpy(folder: Path) -> None:
    np = import_module("numpy")
    for at, dtype in enumerate(("f4", "f8", "i4", "i8", "u1", "c8", "U5", "S3", "?", "M8[s]")):
        array = np.zeros((3, 2), dtype)
        np.save(folder / f"array{at}.npy", array)
        np.savez(folder / f"arrays{at}.npz", a=array, b=array)
        for protocol in (0, 2, 4, 5):
            with open(folder / f"array{at}-{protocol}.pkl", "wb") as file:
                pickle.dump({"a": array, "b": [array[0]]}, file, protocol=protocol)
    np.save(folder / "objects.npy", np.array([{"a": 1}, [2, 3], "x"], dtype=object))
    with open(folder / "generator.pkl", "wb") as file:
        pickle.dump([np.random.default_rng(0), np.random.RandomState(0), np.float32(3)], file)


def write_sklearn(folder: Path) -> None:
    np, joblib = import_module("numpy"), import_module("joblib")
    x = np.random.RandomState(0).rand(60, 4)
    y = (x[:, 0] > 0.5).astype(int)
    estimators = {
        "linear_model": ["LogisticRegression", "Ridge", "SGDClassifier", "Lasso"],
        "ensemble": ["RandomForestClassifier", "GradientBoostingClassifier", "HistGradientBoostingClassifier", "AdaBoostClassifier"],
        "svm": ["SVC", "LinearSVC"], "neighbors": ["KNeighborsClassifier"], "tree": ["DecisionTreeClassifier"],
        "naive_bayes": ["GaussianNB"], "neural_network": ["MLPClassifier"], "cluster": ["KMeans"],
        "decomposition": ["PCA"], "preprocessing": ["StandardScaler", "OneHotEncoder", "MinMaxScaler"],
    }  # fmt: skip
    pipeline = import_module("sklearn.pipeline")
    for module, names in estimators.items():
        for name in names:
            made = getattr(import_module(f"sklearn.{module}"), name)()
            made.fit(x, y)
            for kind, value in {"": made, "-pipeline": pipeline.Pipeline([("step", made)])}.items():
                joblib.dump(value, folder / f"{name}{kind}.joblib")
                joblib.dump(value, folder / f"{name}{kind}.joblib.gz", compress=("gzip", 3))
                joblib.dump(value, folder / f"{name}{kind}.z", compress=3)
                with open(folder / f"{name}{kind}.pkl", "wb") as file:
                    pickle.dump(value, file)


def write_standard(folder: Path) -> None:
    import collections
    import datetime
    import decimal
    import pathlib
    import uuid

    values: dict[str, Any] = {
        "plain": {"a": [1, 2.5, "x", None, True, (1, 2), {3}], "b": b"bytes"},
        "collections": [
            collections.OrderedDict(a=1),
            collections.defaultdict(list),
            collections.Counter("aab"),
            collections.deque([1]),
        ],
        "dates": [
            datetime.datetime(2020, 1, 1),
            datetime.timedelta(1),
            decimal.Decimal("1.5"),
            uuid.UUID(int=3),
            pathlib.Path("a"),
        ],
    }
    for name, value in values.items():
        for protocol in range(6):
            with open(folder / f"{name}-{protocol}.pkl", "wb") as file:
                pickle.dump(value, file, protocol=protocol)


WRITERS = {"torch": write_torch, "numpy": write_numpy, "sklearn": write_sklearn, "pickle": write_standard}


def write(folder: Path) -> list[str]:
    """Write all files that can be written here; return the libraries that are missing."""
    missing = []
    for name, writer in WRITERS.items():
        below = folder / name
        below.mkdir(parents=True, exist_ok=True)
        try:
            writer(below)
        except ModuleNotFoundError as error:
            missing.append(f"{name} ({error.name})")
    return missing


if __name__ == "__main__":
    print("not installed:", ", ".join(write(Path(sys.argv[1]))) or "nothing")
