"""The table of everything native that the target can hold or call: types, functions and methods of Python and numpy.

Nothing else of the host enters the target's world (see `gate.py`). Each group has its reason. `python -m benchmarks.hostile
inventory` walks from every name that a target can use through attributes, base classes and results of calls, and
`tests/hostile/test_inventory.py` fails on what it reaches outside of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def _entries(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the names before and after the colon of each line; a line without one continues the line before it."""
    home, names = "", list[str]()
    for line in lines:
        for word in line.split():
            if word.endswith(":"):
                if home:
                    yield home, names
                home, names = word[:-1], []
            else:
                names.append(word)
    if home:
        yield home, names


def _full_names(groups: dict[str, str]) -> frozenset[str]:
    return frozenset(
        f"{home}.{name}" for table in groups.values() for home, names in _entries([table]) for name in names
    )


TYPE_GROUPS: dict[str, str] = {
    "plain values, their iterators and views": """
    builtins: NoDefaultType NoneType NotImplementedType bool builtin_function_or_method builtin_method bytearray
      bytearray_iterator bytes bytes_iterator callable_iterator classmethod classmethod_descriptor complex dict dict_itemiterator dict_items
      dict_keyiterator dict_keys dict_reverseitemiterator dict_reversekeyiterator dict_reversevalueiterator
      dict_valueiterator dict_values ellipsis enumerate filter float frozenset function generator getset_descriptor
      int list list_iterator list_reverseiterator longrange_iterator map mappingproxy member_descriptor
      memory_iterator memoryview method method-wrapper method_descriptor object odict_items odict_iterator
      odict_keys odict_values property range range_iterator reversed set set_iterator slice staticmethod str
      str_ascii_iterator str_iterator super tuple tuple_iterator type wrapper_descriptor zip
    """,
    "containers and abstract containers": """
    _collections: _deque_iterator _deque_reverse_iterator
    _weakrefset: WeakSet
    array: array arrayiterator
    collections: ChainMap Counter OrderedDict UserDict UserList UserString defaultdict deque
    collections.abc: AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container
      Coroutine Generator Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping
      MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
    graphlib: TopologicalSorter
    weakref: CallableProxyType ProxyType ReferenceType WeakKeyDictionary WeakMethod WeakValueDictionary
    """,
    "iterators": """
    itertools: _grouper _tee accumulate chain combinations combinations_with_replacement compress count cycle
      dropwhile filterfalse groupby islice pairwise permutations product repeat starmap takewhile zip_longest
    """,
    "numbers": """
    datetime: date datetime time timedelta timezone tzinfo
    decimal: Decimal
    fractions: Fraction
    numbers: Complex Integral Number Rational Real
    statistics: NormalDist
    uuid: SafeUUID UUID
    """,
    "annotations": """
    types: GenericAlias UnionType
    typing: Annotated Any BinaryIO ForwardRef Generic IO NamedTupleMeta NewType ParamSpec ParamSpecArgs
      ParamSpecKwargs Protocol SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsIndex SupportsInt
      SupportsRound TextIO NoDefaultType TypeAliasType TypeVar TypeVarTuple _AnnotatedAlias _AnyMeta _BaseGenericAlias _BoundVarianceMixin
      _CallableGenericAlias _CallableType _ConcatenateGenericAlias _DeprecatedGenericAlias _Final _GenericAlias _Immutable
      _LiteralGenericAlias _LiteralSpecialForm _NotIterable _PickleUsingNameMixin _ProtocolMeta _SpecialForm _SpecialGenericAlias
      _TupleType _TypedCacheSpecialForm _TypedDictMeta _UnionGenericAlias _UnpackGenericAlias
    """,
    "syntax trees, which are data": """
    ast: AST Add And AnnAssign Assert Assign AsyncFor AsyncFunctionDef AsyncWith Attribute AugAssign AugLoad
      AugStore Await BinOp BitAnd BitOr BitXor BoolOp Break Bytes Call ClassDef Compare Constant Continue Del Delete
      Dict DictComp Div Ellipsis Eq ExceptHandler Expr Expression ExtSlice FloorDiv For FormattedValue FunctionDef
      FunctionType GeneratorExp Global Gt GtE If IfExp Import ImportFrom In Index Interactive Invert Is IsNot
      JoinedStr LShift Lambda List ListComp Load Lt LtE MatMult Match MatchAs MatchClass MatchMapping MatchOr
      MatchSequence MatchSingleton MatchStar MatchValue Mod Module Mult Name NameConstant NamedExpr Nonlocal Not
      NotEq NotIn Num Or Param Pass Pow RShift Raise Return Set SetComp Slice Starred Store Str Sub Subscript Suite
      Try TryStar Tuple TypeIgnore UAdd USub UnaryOp While With Yield YieldFrom _ABC alias arg arguments boolop
      cmpop comprehension excepthandler expr expr_context keyword match_case mod operator pattern slice stmt
      type_ignore unaryop withitem
    """,
    "classes that a program derives from or decorates with": """
    abc: ABC ABCMeta abstractproperty
    contextlib: AbstractContextManager AsyncContextDecorator ContextDecorator ExitStack _BaseExitStack
      _GeneratorContextManager _GeneratorContextManagerBase closing nullcontext suppress
    dataclasses: Field InitVar _DataclassParams _KW_ONLY_TYPE _MISSING_TYPE
    enum: Enum EnumCheck EnumType Flag FlagBoundary IntEnum IntFlag ReprEnum StrEnum auto member nonmember property
      verify
    functools: CacheInfo KeyWrapper _lru_cache_wrapper cached_property partial partialmethod
    types: DynamicClassAttribute
    """,
    "strings, patterns and encodings": """
    _blake2: blake2b
    _csv: Dialect reader writer
    _hashlib: HASH
    _io: BytesIO StringIO _BufferedIOBase _IOBase _TextIOBase
    _sre: SRE_Scanner
    _struct: Struct
    csv: Dialect DictReader DictWriter Sniffer excel excel_tab unix_dialect
    json.encoder: JSONEncoder
    re: Match Pattern RegexFlag
    reprlib: Repr
    string: Template
    textwrap: TextWrapper
    unicodedata: UCD
    urllib.parse: DefragResult DefragResultBytes ParseResult ParseResultBytes SplitResult SplitResultBytes
      _NetlocResultMixinBase _NetlocResultMixinBytes _NetlocResultMixinStr _ResultMixinBytes _ResultMixinStr
    """,
    "arrays and numbers of numpy, whose functions are bounded": """
    numpy._core.multiarray: flagsobj
    numpy: _DTypeMeta bool bytes_ character clongdouble complex128 complex64 complexfloating datetime64 dtype flatiter flexible
      float16 float32 float64 floating generic inexact int16 int32 int64 int8 integer longdouble longlong ndarray
      number object_ record signedinteger str_ timedelta64 uint16 uint32 uint64 uint8 ulonglong unsignedinteger void
    numpy.dtypes: BoolDType BytesDType CLongDoubleDType Complex128DType Complex64DType DateTime64DType Float16DType
      Float32DType Float64DType Int16DType Int32DType Int64DType Int8DType LongDoubleDType LongLongDType ObjectDType
      StrDType StringDType TimeDelta64DType UInt16DType UInt32DType UInt64DType UInt8DType ULongLongDType VoidDType
    """,
    "arguments of programs and signatures of functions": """
    argparse: Action ArgumentDefaultsHelpFormatter BooleanOptionalAction HelpFormatter MetavarTypeHelpFormatter
      RawDescriptionHelpFormatter RawTextHelpFormatter _ActionsContainer _AppendAction _AppendConstAction
      _ArgumentGroup _AttributeHolder _CountAction _ExtendAction _MutuallyExclusiveGroup _StoreAction
      _StoreConstAction _StoreFalseAction _StoreTrueAction _SubParsersAction
    inspect: BoundArguments FullArgSpec Parameter Signature _ParameterKind _empty
    """,
    "descriptions of the machine and of paths": """
    __future__: _Feature
    _contextvars: ContextVar Token
    operator: itemgetter
    os: PathLike
    pathlib: PurePath PurePosixPath _PathParents
    pathlib._abc: PurePathBase
    pathlib._local: PurePath PurePosixPath _PathParents
    sys: flags float_info hash_info version_info
    """,
}
"""Reason -> classes of which the target may hold instances, and that it may hold themselves, by module."""

FUNCTION_GROUPS: dict[str, str] = {
    "pure computation on plain values": """
    __future__: __init__ __repr__ getMandatoryRelease getOptionalRelease
    _csv: get_dialect reader writer
    _functools: cmp_to_key reduce
    _hashlib: openssl_md5 openssl_sha1 openssl_sha224 openssl_sha256 openssl_sha384 openssl_sha512
    _operator: abs delitem getitem index inv invert is_ is_not length_hint neg not_ pos setitem truth
    _struct: calcsize iter_unpack pack_into unpack unpack_from
    ast: __init__ __instancecheck__ __new__ get_docstring literal_eval parse
    base64: a85decode a85encode b16decode b16encode b32decode b32encode b32hexdecode b32hexencode b64decode
      b64encode b85decode b85encode decode decodebytes encode encodebytes standard_b64decode standard_b64encode
      urlsafe_b64decode urlsafe_b64encode
    binascii: a2b_base64 a2b_hex a2b_qp a2b_uu b2a_base64 b2a_hex b2a_qp b2a_uu crc32 crc_hqx hexlify unhexlify
    cmath: acos acosh asin asinh atan atanh cos cosh exp isclose isfinite isinf isnan log log10 phase polar rect sin
      sinh sqrt tan tanh
    colorsys: hls_to_rgb hsv_to_rgb rgb_to_hls rgb_to_hsv rgb_to_yiq yiq_to_rgb
    csv: __init__ __iter__ __next__ has_header sniff writeheader writerow writerows
    fnmatch: filter fnmatch fnmatchcase translate
    fractions: __abs__ __bool__ __ceil__ __eq__ __floor__ __ge__ __gt__ __hash__ __int__ __le__ __lt__ __neg__
      __new__ __pos__ __pow__ __repr__ __round__ __rpow__ __str__ __trunc__ as_integer_ratio forward from_float
      limit_denominator reverse
    html: escape unescape
    json: dumps loads
    json.encoder: __init__ default encode iterencode
    numbers: __abs__ __add__ __and__ __bool__ __ceil__ __complex__ __divmod__ __eq__ __float__ __floor__
      __floordiv__ __index__ __int__ __invert__ __le__ __lshift__ __lt__ __mod__ __mul__ __neg__ __or__ __pos__
      __pow__ __radd__ __rand__ __rdivmod__ __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__ __round__ __rpow__
      __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ __trunc__ __xor__ conjugate
    pathlib: __bytes__ __eq__ __fspath__ __ge__ __getitem__ __gt__ __hash__ __init__ __le__ __len__ __lt__ __new__
      __repr__ __rtruediv__ __str__ __truediv__ as_posix is_absolute is_relative_to is_reserved joinpath match
      relative_to with_name with_stem with_suffix
    platform: python_version
    pprint: __init__ format isreadable isrecursive pformat saferepr
    re: compile escape findall finditer fullmatch match search split
    reprlib: __init__ recursive_repr wrapper
    statistics: __add__ __eq__ __hash__ __init__ __mul__ __neg__ __pos__ __repr__ __rsub__ __sub__ __truediv__ cdf
      correlation covariance fmean from_samples geometric_mean harmonic_mean inv_cdf linear_regression mean median
      median_grouped median_high median_low mode multimode overlap pdf pstdev pvariance quantiles samples stdev
      variance zscore
    string: __init__ __init_subclass__ capwords get_identifiers is_valid safe_substitute substitute
    sys: getdefaultencoding getfilesystemencoding
    textwrap: __init__ dedent fill indent shorten wrap
    unicodedata: bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup
      mirrored name normalize numeric
    urllib.parse: decode encode geturl parse_qs parse_qsl quote quote_from_bytes quote_plus unquote unquote_plus
      unquote_to_bytes urldefrag urlencode urljoin urlparse urlunparse urlunsplit
    uuid: __eq__ __ge__ __gt__ __hash__ __init__ __int__ __le__ __lt__ __repr__ __str__ uuid3 uuid5
    zlib: adler32 compress crc32
    """,
    "a method of a container, or one that an abstract class derives": """
    _bisect: bisect_left bisect_right insort_left insort_right
    _heapq: heapify heappop heappush heappushpop heapreplace
    _weakref: proxy
    _weakrefset: __contains__ __eq__ __gt__ __iand__ __init__ __ior__ __isub__ __iter__ __ixor__ __len__ __lt__
      __repr__ add clear copy difference difference_update discard intersection intersection_update isdisjoint
      issubset issuperset pop remove symmetric_difference symmetric_difference_update union update
    collections: __add__ __and__ __bool__ __complex__ __contains__ __copy__ __delitem__ __eq__ __float__ __ge__
      __getitem__ __getnewargs__ __gt__ __hash__ __iadd__ __iand__ __imul__ __init__ __int__ __ior__ __isub__
      __iter__ __le__ __len__ __lt__ __missing__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __radd__ __repr__
      __rmod__ __ror__ __setitem__ __str__ __sub__ _asdict _make _replace append capitalize casefold center clear
      copy count elements encode endswith expandtabs extend find fromkeys get index insert isalnum
      isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join
      ljust lower lstrip most_common new_child partition pop popitem remove removeprefix removesuffix replace
      reverse rfind rindex rjust rpartition rsplit rstrip sort split splitlines startswith strip subtract swapcase
      title total translate update upper zfill
    collections.abc: __aiter__ __and__ __anext__ __await__ __call__ __contains__ __delitem__ __eq__ __ge__
      __getitem__ __gt__ __hash__ __iadd__ __iand__ __init__ __ior__ __isub__ __iter__ __ixor__ __le__ __len__
      __lt__ __next__ __or__ __repr__ __reversed__ __rsub__ __setitem__ __sub__ __subclasshook__ __xor__ aclose add
      append asend athrow clear close count discard extend get index insert isdisjoint items keys pop popitem remove
      reverse send setdefault throw update values
    graphlib: __bool__ __init__ add done get_ready is_active prepare static_order
    heapq: merge nlargest nsmallest
    os: __fspath__ __subclasshook__
    weakref: __call__ __contains__ __delitem__ __eq__ __getitem__ __init__ __ior__ __len__ __ne__ __new__ __or__
      __repr__ __ror__ __setitem__ copy get items itervaluerefs keyrefs keys pop popitem setdefault update valuerefs
      values
    """,
    "builds classes and functions of the target from its own parts": """
    abc: __init__ __instancecheck__ __new__ __subclasscheck__
    contextlib: __aenter__ __aexit__ __call__ __enter__ __exit__ __init__ __subclasshook__ asynccontextmanager
      callback close contextmanager enter_context helper inner pop_all push
    dataclasses: __class_getitem__ __init__ __repr__ __set_name__ field fields is_dataclass wrapper
    enum: __and__ __bool__ __call__ __contains__ __copy__ __deepcopy__ __delattr__ __delete__ __dir__ __format__
      __get__ __getattr__ __getitem__ __hash__ __init__ __invert__ __iter__ __len__ __new__ __or__ __prepare__
      __repr__ __reversed__ __set__ __set_name__ __setattr__ __str__ __xor__ _generate_next_value_ _missing_ unique
    functools: __get__ __init__ __repr__ __set_name__ _method cache decorating_function lru_cache
    types: __delete__ __get__ __init__ __set__ deleter getter new_class prepare_class resolve_bases setter
    typing: NamedTuple TypedDict __abs__ __bytes__ __call__ __class_getitem__ __complex__ __copy__ __deepcopy__
      __dir__ __enter__ __eq__ __exit__ __float__ __getitem__ __hash__ __index__ __init__ __init_subclass__
      __instancecheck__ __int__ __iter__ __mro_entries__ __new__ __or__ __repr__ __ror__ __round__ __subclasscheck__
      __typing_prepare_subst__ __typing_subst__ assert_never assert_type cast close copy_with fileno flush get_args
      get_origin inner is_typeddict isatty read readable readline readlines runtime_checkable seek seekable tell
      truncate writable write writelines
    """,
    "reads and sets attributes of its own objects": """
    argparse: __contains__ __eq__ __init__ __repr__ _add_action _get_kwargs add_argument add_argument_group
      add_arguments add_mutually_exclusive_group add_parser add_subparsers add_text add_usage end_section format_help format_usage
      get_default register set_defaults start_section
    inspect: __eq__ __hash__ __init__ __new__ __repr__ __str__ apply_defaults bind bind_partial cleandoc getdoc
      getmro isabstract isasyncgenfunction isawaitable isbuiltin isclass iscoroutine iscoroutinefunction
      isdatadescriptor isgenerator ismethod ismethoddescriptor ismodule isroutine replace
    """,
}
"""Reason -> functions, by module; a function that is written in Python is listed under the name in its `def`."""

_METHODS = """
builtins.BaseException: add_note with_traceback
builtins.BaseExceptionGroup: derive split subgroup
builtins.NoneType: maketrans
builtins.range: count index
_blake2.blake2b: copy digest hexdigest update
_contextvars.ContextVar: get reset set
_csv.writer: writerow writerows
_hashlib.HASH: copy digest hexdigest update
_io.BytesIO: close flush getbuffer getvalue isatty read read1 readable readinto readline readlines seek seekable tell
  truncate writable write writelines
_io.StringIO: close getvalue read readable readline seek seekable tell truncate writable write
_io._BufferedIOBase: detach read read1 readinto readinto1 write
_io._IOBase: close flush isatty readable readline readlines seek seekable tell truncate writable writelines
_io._TextIOBase: detach read readline write
_sre.SRE_Scanner: match search
_struct.Struct: iter_unpack pack pack_into unpack unpack_from
array.array: append byteswap count extend frombytes fromlist fromunicode index insert pop remove reverse tobytes
  tolist tounicode
builtins.bytearray: append capitalize center clear copy count decode endswith expandtabs extend find fromhex hex index
  insert isalnum isalpha isascii isdigit islower isspace istitle isupper join ljust lower lstrip maketrans partition
  pop remove removeprefix removesuffix replace reverse rfind rindex rjust rpartition rsplit rstrip split splitlines
  startswith strip swapcase title translate upper zfill
builtins.bytes: capitalize center count decode endswith expandtabs find fromhex hex index isalnum isalpha isascii
  isdigit islower isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix
  replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper
  zfill
builtins.complex: conjugate
builtins.dict: clear copy fromkeys get items keys pop popitem setdefault update values
builtins.dict_items: isdisjoint
builtins.dict_keys: isdisjoint
builtins.float: as_integer_ratio conjugate fromhex hex is_integer
builtins.frozenset: copy difference intersection isdisjoint issubset issuperset symmetric_difference union
builtins.generator: close send throw
builtins.int: as_integer_ratio bit_count bit_length conjugate from_bytes to_bytes
builtins.list: append clear copy count extend index insert pop remove reverse sort
builtins.mappingproxy: copy get items keys values
builtins.memoryview: cast hex release tobytes tolist toreadonly
builtins.property: deleter getter setter
builtins.set: add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset
  issuperset pop remove symmetric_difference symmetric_difference_update union update
builtins.slice: indices
builtins.str: capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha
  isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip
  maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines
  startswith strip swapcase title translate upper zfill
builtins.tuple: count index
builtins.type: mro
collections.OrderedDict: clear copy fromkeys items keys move_to_end pop popitem setdefault update values
collections.UserString: maketrans
collections.defaultdict: copy
collections.deque: append appendleft clear copy count extend extendleft index insert pop popleft remove reverse rotate
datetime.time: dst fromisoformat isoformat replace strftime tzname utcoffset
datetime.timedelta: total_seconds
datetime.timezone: dst fromutc tzname utcoffset
datetime.tzinfo: dst fromutc tzname utcoffset
decimal.Decimal: adjusted as_integer_ratio as_tuple canonical compare compare_signal compare_total compare_total_mag
  conjugate copy_abs copy_negate copy_sign exp fma from_float is_canonical is_finite is_infinite is_nan is_normal
  is_qnan is_signed is_snan is_subnormal is_zero ln log10 logb logical_and logical_invert logical_or logical_xor max
  max_mag min min_mag next_minus next_plus next_toward normalize number_class quantize radix remainder_near rotate
  same_quantum scaleb shift sqrt to_eng_string to_integral to_integral_exact to_integral_value
functools._lru_cache_wrapper: cache_clear cache_info
itertools.chain: from_iterable
numpy.flatiter: copy
numpy.float16: as_integer_ratio is_integer
numpy.float32: as_integer_ratio is_integer
numpy.float64: as_integer_ratio is_integer
numpy.generic: all any argmax argmin argsort astype choose clip compress conj conjugate copy cumprod cumsum diagonal
  fill flatten item max mean min nonzero prod put ravel repeat reshape round searchsorted sort squeeze std sum
  swapaxes take to_device tobytes tolist trace transpose var
numpy.int16: bit_count
numpy.int32: bit_count
numpy.int64: bit_count
numpy.int8: bit_count
numpy.integer: is_integer
numpy.longdouble: as_integer_ratio is_integer
numpy.longlong: bit_count
numpy.ndarray: all any argmax argmin argpartition argsort astype choose clip compress conj conjugate copy cumprod
  cumsum diagonal dot fill flatten item max mean min nonzero partition prod put ravel repeat reshape round
  searchsorted sort squeeze std sum swapaxes take to_device tobytes tolist trace transpose var
numpy.uint16: bit_count
numpy.uint32: bit_count
numpy.uint64: bit_count
numpy.uint8: bit_count
numpy.ulonglong: bit_count
re.Match: end expand group groupdict groups span start
re.Pattern: findall finditer fullmatch match scanner search split sub subn
unicodedata.UCD: bidirectional category combining decimal decomposition digit east_asian_width is_normalized lookup
  mirrored name normalize numeric
"""

PROTOCOL = frozenset(
    """
    __abs__ __add__ __and__ __array__ __array_namespace__ __bool__ __bytes__ __call__ __ceil__ __class_getitem__
    __complex__ __contains__ __copy__ __deepcopy__ __delete__ __delitem__ __dir__ __divmod__ __enter__ __eq__
    __exit__ __float__ __floor__ __floordiv__ __format__ __ge__ __get__ __getitem__ __getnewargs__ __gt__ __hash__
    __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__ __imul__ __index__ __init__ __init_subclass__
    __instancecheck__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __iter__ __itruediv__ __ixor__ __le__
    __len__ __length_hint__ __lshift__ __lt__ __matmul__ __missing__ __mod__ __mro_entries__ __mul__ __ne__ __neg__
    __new__ __next__ __or__ __pos__ __pow__ __prepare__ __radd__ __rand__ __rdivmod__ __repr__ __reversed__
    __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__
    __rsub__ __rtruediv__ __rxor__ __set__ __set_name__ __setitem__ __str__ __sub__ __subclasscheck__
    __subclasshook__ __truediv__ __trunc__ __xor__
    """.split()
)
"""Special methods of the types above: what an operator or a statement of the target does with their objects anyway."""

CLASS_METHODS = frozenset(
    """__call__ __class_getitem__ __init_subclass__ __new__ __prepare__ __subclasshook__ __instancecheck__ __subclasscheck__
    __or__ __ror__ __dir__ _new_member_ _numeric_repr_ from_bytes from_float from_iterable fromhex fromisoformat fromkeys
    maketrans mro fromtimestamp fromordinal fromisocalendar strptime combine""".split()
)
"""Methods in C that are called on a class."""

REFUSED = frozenset(("collections.UserDict.copy", "functools.cached_property.__get__"))
"""Methods that share the name of an allowed function, and copy or change more than the target may."""

WRITABLE = frozenset(
    """functools.partial functools.partialmethod functools.cached_property functools._lru_cache_wrapper
    collections.OrderedDict collections.Counter collections.ChainMap collections.UserDict collections.UserList
    collections.UserString string.Template textwrap.TextWrapper reprlib.Repr contextlib.ExitStack contextlib.closing
    contextlib.nullcontext contextlib.suppress contextlib._GeneratorContextManager enum.auto json.encoder.JSONEncoder
    graphlib.TopologicalSorter csv.DictReader csv.DictWriter builtins.staticmethod builtins.classmethod
    typing.TypeVar typing.NewType datetime.datetime datetime.date dataclasses.Field""".split()
)
"""Classes of the host whose instances belong to the program that makes them: it may set their attributes."""

TYPES = _full_names(TYPE_GROUPS)
FUNCTIONS = _full_names(FUNCTION_GROUPS)
METHODS: dict[str, frozenset[str]] = {home: frozenset(names) for home, names in _entries([_METHODS])}
"""Class -> its methods in C that the target may call, besides those of the protocol."""
