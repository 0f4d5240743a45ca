"""Ordinary files, as torch, numpy, scikit-learn with joblib and others write them, as far as they are installed."""

from __future__ import annotations

import json
import pickle
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.scan import more_ordinary_files


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


def write_archives(folder: Path) -> None:
    torch = import_module("torch")
    save = import_module("safetensors.torch").save_file
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU()).eval()
    sample = torch.zeros(1, 3, 8, 8)
    torch.jit.script(network).save(folder / "scripted.pt")
    torch.jit.trace(network, sample).save(folder / "traced.pt")
    torch.jit.script(network)._save_for_lite_interpreter(str(folder / "mobile.ptl"))
    torch.export.save(torch.export.export(network, (sample,)), folder / "exported.pt2")
    batch = torch.export.Dim("batch", min=2)
    sizes = ({0: batch, 2: torch.export.Dim("height", min=4) * 2},)
    example = (torch.zeros(2, 3, 8, 8),)
    for name, dynamic in (("batch", ({0: batch},)), ("sizes", sizes)):
        program = torch.export.export(network, example, dynamic_shapes=dynamic)
        torch.export.save(program, folder / f"dynamic-{name}.pt2")
    save(network.state_dict(), folder / "model.safetensors", {"format": "pt"})
    checkpoint = import_module("torch.distributed.checkpoint")
    checkpoint.save({"model": network.state_dict()}, checkpoint_id=folder / "distributed", no_dist=True)


def write_configurations(folder: Path) -> None:
    template = (
        "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] | trim }}"
        "{% if tools is defined and message.tool_calls %}{{ message.tool_calls | tojson(indent=2) }}{% endif %}{% endfor %}"
        "{%- if add_generation_prompt %}{{ bos_token ~ '<|im_start|>assistant\\n{\"name\": ' }}{% endif %}"
    )
    values: dict[str, Any] = {
        "tokenizer_config": {"chat_template": template, "tokenizer_class": "LlamaTokenizer"},
        "named_templates": {"chat_template": [{"name": "default", "template": template}]},
        "config": {"architectures": ["BertModel"], "hidden_size": 64, "model_type": "bert"},
        "generation_config": {"bos_token_id": 1, "eos_token_id": [1, 2]},
        "adapter_config": {"peft_type": "LORA", "target_modules": ["q_proj"], "base_model_name_or_path": "a/b"},
        "modules": [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}],
        "special_tokens_map": {"bos_token": "<s>", "__metadata__": "x"},
    }
    for name, value in values.items():
        (folder / f"{name}.json").write_text(json.dumps(value, indent=1))
    (folder / "chat_template.jinja").write_text(template)
    (folder / "config.yaml").write_text("model:\n  name: resnet\n  layers: [2, 2]\n")


def write_keras(folder: Path) -> None:
    keras = import_module("keras")
    layers = keras.layers
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, activation="relu", kernel_regularizer="l2", kernel_initializer="he_normal")(inputs)
    x = layers.Activation(keras.activations.gelu)(layers.BatchNormalization()(x))
    image = keras.Model(inputs, layers.Dense(2, activation=keras.ops.silu)(layers.Flatten()(x)))
    image.compile("adam", loss=keras.losses.categorical_crossentropy, metrics=["accuracy"])
    words = keras.Sequential([keras.Input((5,)), layers.Embedding(9, 4), layers.LSTM(3), layers.Dense(1)])
    for name, model in {"image": image, "words": words}.items():
        model.save(folder / f"{name}.keras")
        model.save(folder / f"{name}.h5")
        model.save_weights(folder / f"{name}.weights.h5")
        (folder / f"{name}.json").write_text(model.to_json())
        model.export(folder / f"{name}-exported", verbose=False)


WRITERS = {"torch": write_torch, "numpy": write_numpy, "sklearn": write_sklearn, "pickle": write_standard,
           "archives": write_archives, "configurations": write_configurations, "keras": write_keras, **more_ordinary_files.WRITERS}  # fmt: skip


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
        except Exception as error:  # a library of another version writes what it can
            missing.append(f"{name} in part ({type(error).__name__}: {error})")
    return missing


if __name__ == "__main__":
    print("not installed:", ", ".join(write(Path(sys.argv[1]))) or "nothing")
