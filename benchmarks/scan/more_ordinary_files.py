"""More ordinary files, of many libraries; each is written by the library's own saving."""

from __future__ import annotations

import json
import pickle
import shelve
import sqlite3
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def write_estimators(folder: Path) -> None:
    """Estimators that hold others, functions, distributions, text and sparse arrays."""
    np, joblib = import_module("numpy"), import_module("joblib")
    sk = import_module
    stats, sparse = sk("scipy.stats"), sk("scipy.sparse")
    x = np.random.RandomState(0).rand(60, 4)
    y = (x[:, 0] > 0.5).astype(int)
    words = ["a red fox", "the blue dog", "a red dog"] * 20
    text = sk("sklearn.feature_extraction.text")
    search = sk("sklearn.model_selection")
    logistic = sk("sklearn.linear_model").LogisticRegression
    made: dict[str, Any] = {
        "grid": search.GridSearchCV(logistic(), {"C": [0.1, 1]}, cv=2).fit(x, y),
        "random": search.RandomizedSearchCV(logistic(), {"C": stats.uniform(0.1, 1)}, n_iter=2, cv=2).fit(x, y),
        "tfidf": text.TfidfVectorizer().fit(words), "count": text.CountVectorizer(ngram_range=(1, 2)).fit(words),
        "hashing": text.HashingVectorizer(n_features=16),
        "process": sk("sklearn.gaussian_process").GaussianProcessClassifier().fit(x, y),
        "mixture": sk("sklearn.mixture").GaussianMixture(2).fit(x), "isolation": sk("sklearn.ensemble").IsolationForest().fit(x),
        "voting": sk("sklearn.ensemble").VotingClassifier([("a", logistic())]).fit(x, y),
        "stacking": sk("sklearn.ensemble").StackingClassifier([("a", logistic())]).fit(x, y),
        "calibrated": sk("sklearn.calibration").CalibratedClassifierCV(logistic(), cv=2).fit(x, y),
        "one_vs_rest": sk("sklearn.multiclass").OneVsRestClassifier(logistic()).fit(x, y),
        "imputer": sk("sklearn.impute").SimpleImputer().fit(x), "knn_imputer": sk("sklearn.impute").KNNImputer().fit(x),
        "power": sk("sklearn.preprocessing").PowerTransformer().fit(x), "ordinal": sk("sklearn.preprocessing").OrdinalEncoder().fit(x),
        "label": sk("sklearn.preprocessing").LabelEncoder().fit(["a", "b"]), "splines": sk("sklearn.preprocessing").SplineTransformer().fit(x),
        "function": sk("sklearn.preprocessing").FunctionTransformer(np.log1p).fit(x),
        "best": sk("sklearn.feature_selection").SelectKBest(k=2).fit(x, y),
        "columns": sk("sklearn.compose").ColumnTransformer([("s", sk("sklearn.preprocessing").StandardScaler(), [0, 1])]).fit(x),
        "dbscan": sk("sklearn.cluster").DBSCAN().fit(x), "spectral": sk("sklearn.cluster").AgglomerativeClustering().fit(x),
        "density": sk("sklearn.neighbors").KernelDensity().fit(x), "regressor": sk("sklearn.neighbors").KNeighborsRegressor().fit(x, y),
        "isotonic": sk("sklearn.isotonic").IsotonicRegression().fit(x[:, 0], y), "tsne": sk("sklearn.manifold").Isomap(n_neighbors=3).fit(x),
        "nmf": sk("sklearn.decomposition").NMF(2).fit(x), "lda": sk("sklearn.discriminant_analysis").LinearDiscriminantAnalysis().fit(x, y),
        "svr": sk("sklearn.svm").SVR().fit(x, y), "bagging": sk("sklearn.ensemble").BaggingRegressor().fit(x, y),
        "sparse_csr": sparse.csr_matrix(x), "sparse_csc": sparse.csc_array(x), "sparse_coo": sparse.coo_matrix(x),
        "frozen": [stats.norm(0, 1), stats.beta(2, 3), stats.poisson(3), stats.multivariate_normal([0, 0])],
        "kernel": stats.gaussian_kde(x[:, 0]), "spline": sk("scipy.interpolate").CubicSpline([0, 1, 2], [0, 1, 4]),
        "interpolation": sk("scipy.interpolate").RegularGridInterpolator(([0, 1], [0, 1]), np.eye(2)),
        "tree": sk("scipy.spatial").cKDTree(x), "rotation": sk("scipy.spatial.transform").Rotation.identity(),
        "result": sk("scipy.optimize").minimize(lambda v: float(v @ v), [1.0, 2.0]),
    }  # fmt: skip
    for name, value in made.items():
        with open(folder / f"{name}.pkl", "wb") as file:
            pickle.dump(value, file)
        joblib.dump(value, folder / f"{name}.joblib", compress=("xz", 3) if name < "g" else 0)


def write_training(folder: Path) -> None:
    """Checkpoints of training: optimizers, schedulers, random states, settings."""
    torch, np = import_module("torch"), import_module("numpy")
    network = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "RAdam", "Adamax", "LBFGS"):
        optimizer = getattr(torch.optim, name)(network.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
        torch.save({"optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict()}, folder / f"{name}.pt")
        torch.save(optimizer, folder / f"{name}-whole.pt")
    for scheduler in (
        torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 4),
        torch.optim.lr_scheduler.OneCycleLR(torch.optim.SGD(network.parameters(), lr=0.1), 0.1, 10),
        torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer),
    ):
        torch.save(scheduler.state_dict(), folder / f"{type(scheduler).__name__}.pt")
    state = {
        "python": import_module("random").getstate(),
        "numpy": np.random.get_state(),
        "cpu": torch.random.get_rng_state(),
    }
    torch.save(state, folder / "rng_state.pth")
    averaged = torch.optim.swa_utils.AveragedModel(network)
    torch.save(averaged.state_dict(), folder / "averaged.pt")
    torch.save(torch.utils.data.TensorDataset(torch.zeros(4, 3), torch.zeros(4)), folder / "dataset.pt")
    torch.save(
        [torch.distributions.Normal(0, 1), torch.distributions.Categorical(torch.ones(3))], folder / "distributions.pt"
    )
    torch.save(
        torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2)).state_dict(), folder / "parametrized.pt"
    )
    torch.save(torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)), folder / "weight-norm-whole.pt")
    torch.save(torch.ao.quantization.quantize_dynamic(network), folder / "quantized-whole.pt")
    torch.save(torch.ao.quantization.quantize_dynamic(network).state_dict(), folder / "quantized.pt")
    torch.save(
        {"complex": torch.zeros(2, dtype=torch.complex64), "nested": [{"a": (torch.ones(1), None)}]},
        folder / "mixed.pt",
    )
    torch.save(argparse_settings(), folder / "settings.pt")
    for kind in ("resnet18", "mobilenet_v2", "vit_b_16", "vgg11", "densenet121"):
        import_module("benchmarks.zoo.torchvision_import")
        with torch.device("meta"):
            model = getattr(import_module("torchvision.models"), kind)()
        torch.save(model, folder / f"{kind}-meta.pt")


def argparse_settings() -> Any:
    from argparse import Namespace

    return {"args": Namespace(lr=0.1, name="x"), "path": Path("runs"), "epoch": 3}


def write_keras_objects(folder: Path) -> None:
    """Keras's own layers, pickled models, histories and preprocessing."""
    keras = import_module("keras")
    layers = keras.layers
    parts = {
        "normal": layers.Normalization(mean=0.0, variance=1.0), "rescaling": layers.Rescaling(0.5), "crop": layers.RandomFlip(),
        "attention": layers.MultiHeadAttention(2, 4), "bidirectional": layers.Bidirectional(layers.GRU(3)),
        "group": layers.GroupNormalization(2), "separable": layers.SeparableConv2D(4, 3), "prelu": layers.PReLU(),
        "distributed": layers.TimeDistributed(layers.Dense(2)), "lookup": layers.StringLookup(vocabulary=["a", "b"]),
        "vectors": layers.TextVectorization(vocabulary=["a", "b"]), "hash": layers.Hashing(4), "spectral": layers.SpectralNormalization(layers.Dense(2)),
    }  # fmt: skip
    for name, layer in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(keras.saving.serialize_keras_object(layer)))
        with open(folder / f"{name}.pkl", "wb") as file:
            pickle.dump(layer.get_config(), file)
    model = keras.Sequential(
        [keras.Input((3,)), layers.Dense(4, activation="relu"), layers.Dropout(0.2), layers.Dense(1)]
    )
    model.compile(keras.optimizers.SGD(0.1), "mse")
    history = model.fit(import_module("numpy").zeros((4, 3)), import_module("numpy").zeros((4, 1)), verbose=0)
    with open(folder / "history.pkl", "wb") as file:
        pickle.dump(history.history, file)
    with open(folder / "model.pkl", "wb") as file:
        pickle.dump(model, file)
    model.save(folder / "compiled.keras")
    model.save(folder / "compiled.h5")


def write_tensorflow(folder: Path) -> None:
    """Modules, checkpoints, graphs, records and TensorFlow Lite."""
    tf = import_module("tensorflow")

    class Net(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
            self.w = tf.Variable(tf.ones((3, 2)))

        @tf.function(input_signature=[tf.TensorSpec((None, 3))])
        def __call__(self, x: Any) -> Any:
            total = tf.matmul(x, self.w)
            for _ in tf.range(3):
                total = tf.nn.relu(total) + tf.reduce_mean(total)
            return tf.strings.as_string(tf.cond(tf.reduce_sum(total) > 0, lambda: total, lambda: -total))

    net = Net()
    tf.saved_model.save(net, str(folder / "module"))
    tf.train.Checkpoint(net=net).save(str(folder / "checkpoint" / "ckpt"))
    concrete = net.__call__.get_concrete_function()
    tf.io.write_graph(concrete.graph.as_graph_def(), str(folder), "graph.pb", as_text=False)
    tf.io.write_graph(concrete.graph.as_graph_def(), str(folder), "graph.pbtxt", as_text=True)
    with tf.io.TFRecordWriter(str(folder / "data.tfrecord")) as writer:
        for at in range(20):
            feature = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[at, 1.0]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    keras = import_module("keras")
    model = keras.Sequential(
        [keras.Input((8, 8, 3)), keras.layers.Conv2D(4, 3), keras.layers.Flatten(), keras.layers.Dense(2)]
    )
    (folder / "model.tflite").write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())


def write_onnx(folder: Path) -> None:
    """Models with external data beside them, functions, and in text."""
    onnx, np = import_module("onnx"), import_module("numpy")
    weight = onnx.numpy_helper.from_array(np.zeros((64, 64), np.float32), "w")
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    ends = [onnx.helper.make_tensor_value_info(n, 1, [1, 64]) for n in "xy"]
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", ends[:1], ends[1:], [weight]))
    onnx.save(model, folder / "plain.onnx")
    onnx.save(model, folder / "plain.onnxtxt", format="onnxtxt")
    onnx.save(model, folder / "text.textproto", format="textproto")
    onnx.save_model(model, folder / "apart.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    for name in (
        "reshape",
        "loop11",
        "if",
        "scan9_sum",
        "lstm_defaults",
        "layer_normalization_default_axis",
        "attention_4d",
    ):
        path = Path(onnx.__file__).parent / f"backend/test/data/node/test_{name}/model.onnx"
        if path.exists():
            (folder / f"{name}.onnx").write_bytes(path.read_bytes())


def write_tables(folder: Path) -> None:
    """Frames, series and tables of other libraries."""
    pd, np = import_module("pandas"), import_module("numpy")
    frame = pd.DataFrame(
        {"a": [1, 2], "b": ["x", "y"], "c": pd.Categorical(["u", "v"]), "d": pd.date_range("2020", periods=2)}
    )
    for protocol in (2, 4, 5):
        frame.to_pickle(folder / f"frame-{protocol}.pkl", protocol=protocol)
    frame.to_pickle(folder / "frame.pkl.gz")
    frame.to_pickle(folder / "frame.pkl.xz")
    frame.to_pickle(folder / "frame.pkl.zip")
    frame["a"].to_pickle(folder / "series.pkl")
    pd.Series(np.arange(3), index=pd.period_range("2020", periods=3)).to_pickle(folder / "periods.pkl")
    pd.DataFrame(np.eye(2), index=pd.MultiIndex.from_tuples([(1, "a"), (2, "b")])).to_pickle(folder / "multi.pkl")
    frame.to_csv(folder / "frame.csv")
    frame.to_json(folder / "frame.json")
    frame.drop(columns="c").to_parquet(folder / "frame.parquet")
    frame.drop(columns="c").to_feather(folder / "frame.feather")


def write_boosting(folder: Path) -> None:
    """Boosters."""
    np, lgb = import_module("numpy"), import_module("lightgbm")
    x = np.random.RandomState(0).rand(60, 4)
    model = lgb.LGBMClassifier(n_estimators=3, verbose=-1).fit(x, x[:, 0] > 0.5)
    model.booster_.save_model(folder / "lightgbm.txt")
    for name, value in {"lightgbm": model, "booster": model.booster_}.items():
        with open(folder / f"{name}.pkl", "wb") as file:
            pickle.dump(value, file)


def write_statistics(folder: Path) -> None:
    """Fitted models of statistics."""
    np, api = import_module("numpy"), import_module("statsmodels.api")
    x = np.random.RandomState(0).rand(60, 2)
    api.OLS(x[:, 0], api.add_constant(x[:, 1])).fit().save(str(folder / "ols.pickle"))


def write_others(folder: Path) -> None:
    """Plain data by dill and cloudpickle, graphs, databases, HDF5, and arrays of scipy."""
    np = import_module("numpy")
    values = {"a": [1, {"b": np.arange(3)}], "c": (None, True)}
    for name in ("dill", "cloudpickle"):
        with open(folder / f"data.{name}", "wb") as file:
            import_module(name).dump(values, file)
    with open(folder / "graph.gpickle", "wb") as file:
        pickle.dump(import_module("networkx").path_graph(4), file)
    with shelve.open(str(folder / "shelf")) as kept:
        kept["a"] = values
    with sqlite3.connect(folder / "data.sqlite") as base:
        base.execute("create table t (a, b)")
        base.execute("insert into t values (1, ?)", (pickle.dumps(values),))
    io = import_module("scipy.io")
    io.savemat(folder / "data.mat", {"x": np.eye(3), "s": {"a": 1}})
    io.wavfile.write(folder / "tone.wav", 8000, np.zeros(400, np.int16))
    h5py = import_module("h5py")
    with h5py.File(folder / "data.h5", "w") as file:
        file.create_dataset("x", data=np.random.rand(200, 200), chunks=(20, 20), compression="gzip")
        file["soft"] = h5py.SoftLink("/x")
        file.attrs["note"] = "plain"
    random = np.random.RandomState(1)
    for at in range(6):
        random.rand(1 << 19).astype(np.float32).tofile(folder / f"numbers{at}.bin")
        np.save(folder / f"large{at}.npy", random.rand(1 << 18))
    with open(folder / "two.npy", "wb") as file:
        np.save(file, np.eye(2))
        np.save(file, np.eye(3))
    save = import_module("safetensors.numpy").save_file
    save({f"w{n}": random.rand(64, 64) for n in range(9)}, str(folder / "random.safetensors"))
    (folder / "README.md").write_text("Use `!!python/object` in YAML with care. {{ braces }}")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "the", "##ing", "{{", "}}", "{%"]))
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e\n")
    (folder / "page.html").write_text("<html>{{ name }}</html>")
    (folder / "net.xml").write_text('<?xml version="1.0"?><net name="x"><layers/></net>')
    (folder / "prompt.txt").write_text("You are a helper. {{ question }} {% if context %}{{ context }}{% endif %}")


def write_hub(folder: Path) -> None:
    """Model folders of transformers, with tokenizers and settings of training."""
    transformers = import_module("transformers")
    for kind in ("Bert", "GPT2", "Llama", "T5", "ViT"):
        settings = {
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "vocab_size": 99,
        }
        if kind in ("GPT2", "T5"):
            settings = {
                "vocab_size": 99,
                "n_embd": 32,
                "n_layer": 1,
                "n_head": 2,
                "d_model": 32,
                "num_layers": 1,
                "d_ff": 32,
            }
        config = getattr(transformers, f"{kind}Config")(**settings)
        getattr(transformers, f"{kind}Model")(config).save_pretrained(folder / kind)
    tokenizers = import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.train_from_iterator(["a red fox", "a blue dog"], tokenizers.trainers.BpeTrainer(vocab_size=60))
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder / "tokenizer")
    with open(folder / "tokenizer.pkl", "wb") as file:
        pickle.dump(tokenizer, file)


WRITERS: dict[str, Callable[[Path], None]] = {
    "estimators": write_estimators, "training": write_training, "keras_objects": write_keras_objects,
    "tensorflow": write_tensorflow, "onnx": write_onnx, "tables": write_tables, "boosting": write_boosting,
    "statistics": write_statistics, "others": write_others, "hub": write_hub,
}  # fmt: skip
