"""Targets that write, delete, start, connect, or bring code of their own into the host, each by one way.

`HERE` in the text is replaced by a folder; the file `keep` in it must stay as it is and nothing may join it.
"""

from __future__ import annotations

WRITES: dict[str, str] = {
    "open": "open('HERE/new', 'w').write('x')",
    "open to append": "open('HERE/keep', 'a').write('x')",
    "open to update": "open('HERE/keep', 'r+').write('x')",
    "open by keyword": "open(file='HERE/new', mode='w')",
    "open with a computed mode": "open('HERE/new', ''.join(['w', 'b']))",
    "open with a mode that changes": """
class Mode(str):
    asked = 0
    def __iter__(self):
        return iter('r')
    def __contains__(self, letter):
        return False
    def __str__(self):
        return 'w'
open('HERE/new', Mode('w')).write('x')
""",
    "open with an opener": "open('HERE/keep', opener=lambda path, flags: loot(path))",
    "open with a descriptor": "open(1, 'w').write('x')",
    "with open": "with open('HERE/new', 'w') as file:\n    file.write('x')",
    "io.open": "import io\nio.open('HERE/new', 'w').write('x')",
    "io.FileIO": "import io\nio.FileIO('HERE/new', 'w')",
    "codecs.open": "import codecs\ncodecs.open('HERE/new', 'w').write('x')",
    "os.remove": "import os\nos.remove('HERE/keep')",
    "os.unlink": "import os\nos.unlink('HERE/keep')",
    "os.rename": "import os\nos.rename('HERE/keep', 'HERE/new')",
    "os.mkdir": "import os\nos.mkdir('HERE/new')",
    "os.makedirs": "import os\nos.makedirs('HERE/new/deep')",
    "os.open": "import os\nos.open('HERE/new', 65)",
    "os.truncate": "import os\nos.truncate('HERE/keep', 0)",
    "os.symlink": "import os\nos.symlink('HERE/keep', 'HERE/new')",
    "os.chmod": "import os\nos.chmod('HERE/keep', 0)",
    "os by another name": "from os import remove as harmless\nharmless('HERE/keep')",
    "posix": "import posix\nposix.remove('HERE/keep')",
    "pathlib write_text": "from pathlib import Path\nPath('HERE/new').write_text('x')",
    "pathlib write_bytes": "from pathlib import Path\nPath('HERE/new').write_bytes(b'x')",
    "pathlib unlink": "from pathlib import Path\nPath('HERE/keep').unlink()",
    "pathlib touch": "from pathlib import Path\nPath('HERE/new').touch()",
    "pathlib mkdir": "from pathlib import Path\nPath('HERE/new').mkdir()",
    "pathlib open": "from pathlib import Path\nPath('HERE/new').open('w').write('x')",
    "shutil.rmtree": "import shutil\nshutil.rmtree('HERE')",
    "shutil.copy": "import shutil\nshutil.copy('HERE/keep', 'HERE/new')",
    "tempfile": "import tempfile\ntempfile.NamedTemporaryFile(delete=False, dir='HERE')",
    "tempfile.mkdtemp": "import tempfile\ntempfile.mkdtemp(dir='HERE')",
    "numpy.save": "import numpy as np\nnp.save('HERE/new.npy', np.zeros(3))",
    "numpy.savez": "import numpy as np\nnp.savez('HERE/new.npz', a=np.zeros(3))",
    "numpy.savetxt": "import numpy as np\nnp.savetxt('HERE/new', np.zeros(3))",
    "numpy.memmap": "import numpy as np\nnp.memmap('HERE/new', shape=3, mode='w+')",
    "numpy.lib.format": "import numpy as np\nnp.lib.format.open_memmap('HERE/new', 'w+', shape=(3,))",
    "ndarray.tofile": "import numpy as np\nnp.zeros(3).tofile('HERE/new')",
    "ndarray.tofile unbound": "import numpy as np\nnp.ndarray.tofile(np.zeros(3), 'HERE/new')",
    "ndarray.tofile by name": "import numpy as np\ngetattr(np.zeros(3), 'to' + 'file')('HERE/new')",
    "ndarray.tofile from its class": "import numpy as np\nvars(np.ndarray)['tofile'](np.zeros(3), 'HERE/new')",
    "ndarray.tofile by methodcaller": "import numpy as np, operator\noperator.methodcaller('tofile', 'HERE/new')(np.zeros(3))",
    "ndarray.tofile by map": "import numpy as np\nlist(map(np.ndarray.tofile, [np.zeros(3)], ['HERE/new']))",
    "ndarray.tofile of a subclass": """
import numpy as np
class Mine(np.ndarray):
    def save(self):
        super().tofile('HERE/new')
Mine((3,)).save()
""",
    "ndarray.tofile by super": """
import numpy as np
class Mine(np.ndarray):
    pass
super(Mine, Mine((3,))).tofile('HERE/new')
""",
    "ndarray.tofile by a getter": """
import numpy as np
class Getter:
    tofile = np.ndarray.__dict__['tofile']
Getter.tofile(np.zeros(3), 'HERE/new')
""",
    "ndarray.dump": "import numpy as np\nnp.zeros(3).dump('HERE/new')",
    "a numpy number's tofile": "import numpy as np\nnp.float32(3).tofile('HERE/new')",
    "numpy.DataSource": "import numpy as np\nnp.DataSource('HERE').open('HERE/new', 'w')",
    "numpy.recarray": "import numpy as np\nnp.recarray((3,), dtype=[('a', int)]).tofile('HERE/new')",
    "array.tofile": "import array\narray.array('b', [1]).tofile(open('HERE/new', 'wb'))",
    "json.dump": "import json\njson.dump({}, open('HERE/new', 'w'))",
    "pickle.dump": "import pickle\npickle.dump({}, open('HERE/new', 'wb'))",
    "torch.save": "import torch\ntorch.save({}, 'HERE/new')",
    "torch.jit.save": "import torch\ntorch.jit.save(torch.jit.script(nn.Linear(1, 1)), 'HERE/new')",
    "torch.onnx.export": "import torch\ntorch.onnx.export(nn.Linear(1, 1), torch.zeros(1, 1), 'HERE/new')",
    "tensor.numpy().tofile": "import torch\ntorch.zeros(3).numpy().tofile('HERE/new')",
    "logging.FileHandler": "import logging\nlogging.FileHandler('HERE/new').emit(1)",
    "logging.basicConfig": "import logging\nlogging.basicConfig(filename='HERE/new')\nlogging.error('x')",
    "print to a file": "print('x', file=open('HERE/new', 'w'))",
    "csv to a file": "import csv\ncsv.writer(open('HERE/new', 'w')).writerow([1])",
    "argparse.FileType": """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--out', type=argparse.FileType('w'))
parser.parse_args(['--out', 'HERE/new'])
""",
    "sqlite3": "import sqlite3\nsqlite3.connect('HERE/new')",
    "zipfile": "import zipfile\nzipfile.ZipFile('HERE/new', 'w')",
    "fileinput": "import fileinput\nlist(fileinput.input('HERE/keep', inplace=True))",
    "sys.stdout.buffer": "import sys\nsys.stdout.buffer.write(b'hostile')",
    "sys.__stdout__": "import sys\nsys.__stdout__.write('hostile')",
    "pprint": "import pprint\npprint.pprint('hostile')\npprint.PrettyPrinter().pprint('hostile')",
    "a warning": "import warnings, re\nwarnings.warn('hostile')\nre.compile('[[a]')",
    "a last word": """
import weakref
class C:
    pass
def g():
    try:
        yield 1
    finally:
        1 / 0
next(g())
r = weakref.ref(C(), lambda r: 1 / 0)
""",
}

READS: dict[str, str] = {
    "open": "open('/etc/passwd').read()",
    "open a link": "open('HERE/link').read()",
    "open a way up": "open('HERE/../../../../../../../../etc/passwd').read()",
    "open bytes": "open(b'/etc/passwd').read()\nopen('/etc/passwd', 'rb').read()",
    "open with a path that changes": """
class Path:
    asked = 0
    def __fspath__(self):
        Path.asked += 1
        return 'HERE/model.py' if Path.asked % 2 else '/etc/passwd'
open(Path()).read()
open(Path()).read()
""",
    "open with a path that shows another": """
class Path(str):
    def partition(self, by):
        return ('model.py', '', '')
    def startswith(self, *start):
        return True
    def __getitem__(self, key):
        return 'HERE/model.py'
    def __fspath__(self):
        return self
open(Path('/etc/passwd')).read()
""",
    "pathlib": "from pathlib import Path\nPath('/etc/passwd').read_text()\nPath('/etc/passwd').read_bytes()\nPath('/etc/passwd').open().read()",
    "json": "import json\njson.load(open('/etc/passwd'))",
    "a package's data": "import pkgutil\npkgutil.get_data('torch', '/etc/passwd')\npkgutil.get_data('model', '/etc/passwd')",
    "resources": "import importlib.resources\nimportlib.resources.read_text('model', '/etc/passwd')",
    "argparse": "import argparse\nargparse.ArgumentParser(fromfile_prefix_chars='@').parse_args(['@/etc/passwd'])",
    "numpy": "import numpy as np\nnp.loadtxt('/etc/passwd')\nnp.fromfile('/etc/passwd')\nnp.genfromtxt('/etc/passwd')",
    "linecache": "import linecache\nlinecache.getline('/etc/passwd', 1)",
    "configparser": "import configparser\nconfigparser.ConfigParser().read('/etc/passwd')",
    "a module's file": "__file__ = '/etc/passwd'\nimport inspect\nclass C:\n    pass\ninspect.getsource(C)",
    "a module's folder": "__path__ = ['/etc']\nimport model.passwd\nfrom . import passwd",
    "the import path": "import sys\nsys.path.insert(0, '/etc')\nimport passwd",
}

STARTS: dict[str, str] = {
    "os.system": "import os\nos.system('touch HERE/new')",
    "os.popen": "import os\nos.popen('touch HERE/new').read()",
    "os.fork": "import os\nos.fork()",
    "os.execv": "import os\nos.execv('/bin/touch', ['touch', 'HERE/new'])",
    "os.posix_spawn": "import os\nos.posix_spawn('/bin/touch', ['touch', 'HERE/new'], {})",
    "os.kill": "import os\nos.kill(os.getpid(), 9)",
    "os._exit": "import os\nos._exit(77)",
    "os.abort": "import os\nos.abort()",
    "sys.exit": "import sys\nsys.exit(77)",
    "raise SystemExit": "raise SystemExit(77)",
    "exit": "exit(77)",
    "quit": "quit()",
    "subprocess.run": "import subprocess\nsubprocess.run(['touch', 'HERE/new'])",
    "subprocess.Popen": "from subprocess import Popen\nPopen('touch HERE/new', shell=True)",
    "subprocess.check_output": "import subprocess as s\ns.check_output(['touch', 'HERE/new'])",
    "multiprocessing": "import multiprocessing\nmultiprocessing.Process(target=print).start()",
    "concurrent.futures": "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor().submit(print)",
    "threading": "import threading\nthreading.Thread(target=lambda: open('HERE/new', 'w')).start()",
    "_thread": "import _thread\n_thread.start_new_thread(print, ())",
    "asyncio": "import asyncio\nasyncio.run(asyncio.create_subprocess_shell('touch HERE/new'))",
    "pty": "import pty\npty.spawn(['touch', 'HERE/new'])",
    "signal.alarm": "import signal\nsignal.alarm(1)",
    "signal.signal": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "atexit": "import atexit\natexit.register(lambda: open('HERE/new', 'w'))",
    "faulthandler": "import faulthandler\nfaulthandler._sigsegv()",
    "resource": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))",
    "socket": "import socket\nsocket.create_connection(('127.0.0.1', 9))",
    "urllib": "from urllib.request import urlopen, urlretrieve\nurlopen('http://127.0.0.1:9/')",
    "http.client": "import http.client\nhttp.client.HTTPConnection('127.0.0.1', 9).request('GET', '/')",
    "requests": "import requests\nrequests.get('http://127.0.0.1:9/')",
    "torch.hub": "import torch\ntorch.hub.load('someone/something', 'net')",
    "torch.hub download": "import torch\ntorch.hub.download_url_to_file('http://127.0.0.1:9/', 'HERE/new')",
    "webbrowser": "import webbrowser\nwebbrowser.open('http://127.0.0.1:9/')",
    "input": "input('name?')",
    "breakpoint": "breakpoint()",
    "pdb": "import pdb\npdb.set_trace()",
    "code.interact": "import code\ncode.interact()",
}

BRINGS: dict[str, str] = {
    "importlib": "import importlib\nloot(importlib.import_module('hostile_mark'))",
    "importlib of the standard library": "import importlib\nloot(importlib.import_module('os').system)",
    "importlib.util": """
import importlib.util
spec = importlib.util.spec_from_file_location('hostile_mark', 'HERE/hostile_mark.py')
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
""",
    "importlib.machinery": "from importlib.machinery import SourceFileLoader\nSourceFileLoader('hostile_mark', 'HERE/hostile_mark.py').load_module()",
    "__import__": "loot(__import__('hostile_mark'))\nloot(__import__('os'))",
    "runpy": "import runpy\nrunpy.run_path('HERE/hostile_mark.py')",
    "sys.modules": "import sys\nloot(sys.modules['os'])\nsys.modules['json'] = None\nsys.modules['os'] = None",
    "sys.path": "import sys\nsys.path.insert(0, 'HERE')\nimport hostile_mark",
    "sys.meta_path": "import sys\nsys.meta_path.clear()\nsys.path_hooks.clear()",
    "exec": "exec('import os; hostile_mark = os.getcwd()')",
    "eval": "loot(eval('__import__(\"os\")'))\nloot(eval('hostile_mark', {}, {}))",
    "eval with a host's namespace": "loot(eval('__builtins__'))\nloot(eval('open', {'__builtins__': {}}))",
    "compile": "loot(compile('hostile_mark = 1', 'x', 'exec'))",
    "types.FunctionType": """
import types
loot(types.FunctionType((lambda: 1).__code__, {}))
""",
    "a forward reference's code": """
import typing, types
reference = typing.ForwardRef("hostile_mark.x")
loot(reference.__forward_code__)
types.FunctionType(reference.__forward_code__, {})()
""",
    "a forward reference evaluated": """
import typing
reference = typing.ForwardRef("hostile_mark.x")
loot(reference._evaluate({}, {}, recursive_guard=frozenset()))
""",
    "a forward reference inside an annotation": """
import typing
alias = typing.List["__import__('hostile_mark')"]
alias.__args__[0]._evaluate({}, {}, recursive_guard=frozenset())
""",
    "typing.get_type_hints": """
import typing
def f(x: "__import__('hostile_mark')"): pass
f.__annotations__ = {'x': "__import__('hostile_mark')"}
loot(typing.get_type_hints(f))
""",
    "typing_extensions.get_type_hints": """
import typing_extensions
def f(): pass
f.__annotations__ = {'x': "__import__('hostile_mark')"}
loot(typing_extensions.get_type_hints(f))
""",
    "functools.singledispatch": """
import functools
def f(x): pass
f.__annotations__ = {'x': "__import__('hostile_mark')"}
functools.singledispatch(f).register(f)
""",
    "functools.singledispatchmethod": """
import functools
def f(self, x): pass
f.__annotations__ = {'x': "__import__('hostile_mark')"}
functools.singledispatchmethod(f).register(f)
""",
    "inspect.signature that evaluates": """
import inspect
def f(x): pass
f.__annotations__ = {'x': "__import__('hostile_mark')"}
inspect.signature(f, eval_str=True)
inspect.Signature.from_callable(f, eval_str=True)
""",
    "inspect.get_annotations": """
import inspect
class C: pass
C.__annotations__ = {'x': "__import__('hostile_mark')"}
inspect.get_annotations(C, eval_str=True)
""",
    "a text signature": """
import inspect
class C:
    __text_signature__ = "(x=hostile_mark.y)"
    def __call__(self): pass
inspect.signature(C())
""",
    "a dataclass's annotations": """
import dataclasses
@dataclasses.dataclass
class C:
    x: "__import__('hostile_mark')" = 1
""",
    "a dataclass's field name": """
import dataclasses
class C:
    __annotations__ = {"x=__import__('hostile_mark')": int}
dataclasses.dataclass(C)
""",
    "a dataclass's field name of another type": """
import dataclasses
class Name(str):
    def isidentifier(self):
        return True
dataclasses.make_dataclass('C', [Name("x=__import__('hostile_mark')")])
""",
    "make_dataclass's field name": """
import dataclasses
dataclasses.make_dataclass('C', [("x=__import__('hostile_mark')", int)])
""",
    "a dataclass's inherited field": """
import dataclasses
@dataclasses.dataclass
class Donor:
    x: int = 1
bad = Donor.__dataclass_fields__['x']
bad.name = "x=__import__('hostile_mark')"
class Base:
    __dataclass_fields__ = {'x': bad}
@dataclasses.dataclass
class C(Base):
    y: int = 2
""",
    "a dataclass's field with a changed name": """
import dataclasses
class Sly(str):
    def __format__(self, spec):
        return "x=__import__('hostile_mark')"
    def __str__(self):
        return "x=__import__('hostile_mark')"
class C:
    __annotations__ = {Sly('x'): int}
dataclasses.dataclass(C)
""",
    "a namedtuple's field name": """
import collections
class Name(str):
    def isidentifier(self):
        return True
collections.namedtuple('C', [Name("x=__import__('hostile_mark')")])
""",
    "a namedtuple's own name": "import collections\ncollections.namedtuple(\"C(__import__('hostile_mark'))\", 'a b')",
    "typing.NamedTuple": "import typing\ntyping.NamedTuple('C', [(\"x=__import__('hostile_mark')\", int)])",
    "an enum's members": """
import enum
loot(enum.Enum('C', {"__import__('hostile_mark')": 1}))
""",
    "an enum of a host's module": """
import enum
found = enum.IntEnum._convert_('C', 'os', lambda name: True)
loot([member.value for member in found])
""",
    "pickle.loads": "import pickle\npickle.loads(b'chostile_mark\\nx\\n.')",
    "marshal.loads": "import marshal\nmarshal.loads(b'')",
    "ctypes": "import ctypes\nctypes.CDLL(None).system(b'touch HERE/new')",
    "ndarray.ctypes": "import numpy as np\nloot(np.zeros(3).ctypes._ctypes)",
    "numpy.load": "import numpy as np\nnp.load('HERE/keep', allow_pickle=True)",
    "numpy.f2py": "import numpy.f2py\nnumpy.f2py.compile('hostile_mark')",
    "numpy.matrix": "import numpy as np\nnp.matrix(\"__import__('hostile_mark')\")",
    "numpy.bmat": "import numpy as np\nloot(np.bmat('numpy'))\nloot(np.bmat('numpy', {}, {}))",
    "torch.load": "import torch\ntorch.load('HERE/keep')",
    "copy's hooks": """
import copy
class C:
    def __reduce_ex__(self, protocol):
        return (eval, ("__import__('hostile_mark')",))
loot(copy.copy(C()))
loot(copy.deepcopy(C()))
""",
    "copyreg": "import copyreg\ncopyreg.pickle(int, lambda x: (eval, ('hostile_mark',)))",
    "__class_getitem__": """
class C:
    def __class_getitem__(cls, item):
        return __import__('hostile_mark')
loot(C[1])
""",
    "csv's reader": "import csv\nloot(list(csv.reader(['hostile_mark'])))",
    "struct": "import struct\nloot(struct.pack('1000000000s', b''))",
    "ast": "import ast\nloot(ast.parse('1'))\nloot(ast.literal_eval(\"__import__('hostile_x')\"))",
    "code from a code's replace": "loot((lambda: 1).__code__.replace(co_code=b'x'))",
}
