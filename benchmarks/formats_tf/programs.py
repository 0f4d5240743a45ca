"""Small programs over many operations of TensorFlow, each a function and the shapes of its inputs.

`python -m benchmarks.formats_tf.programs FOLDER` saves each as a SavedModel and as a frozen graph, with loops and conditions
as calls of functions and, once more, in the form of TensorFlow 1.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

PROGRAMS = {}
IMAGE = (None, 12, 10, 3)
ROWS = (None, 6)
SERIES = (None, 7, 4)


def program(*shapes, dtype="float32"):
    def enter(function):
        PROGRAMS[function.__name__] = (
            function,
            [tf.TensorSpec(shape, dtype, f"x{at}") for at, shape in enumerate(shapes)],
        )
        return function

    return enter


def weight(*shape):
    return tf.random.stateless_normal(shape, (1, 2))


@program(IMAGE)
def images(x):
    y = tf.nn.conv2d(x, weight(3, 3, 3, 8), (1, 2, 2, 1), "SAME")
    y = tf.nn.depthwise_conv2d(y, weight(3, 3, 8, 2), (1, 1, 1, 1), "VALID", dilations=(1, 1))
    y = tf.nn.max_pool2d(y, 2, 2, "SAME") + tf.nn.avg_pool2d(y, 2, 2, "SAME")
    z = tf.image.resize(x, (5, 7)), tf.image.resize(x, (6, 6), "nearest"), tf.image.resize(x, (4, 4), "area")
    parts = tf.image.extract_patches(x, (1, 3, 3, 1), (1, 2, 2, 1), (1, 1, 1, 1), "VALID")
    return y, z, parts, tf.nn.space_to_depth(x, 2), tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2)


@program(IMAGE)
def transposed_images(x):
    batch, height, width, _ = tf.unstack(tf.shape(x))
    y = tf.nn.conv2d_transpose(x, weight(3, 3, 5, 3), tf.stack([batch, height * 2, width * 2, 5]), 2, "SAME")
    y = tf.pad(y, ((0, 0), (1, 2), (0, 3), (0, 0)))
    y = tf.nn.atrous_conv2d(y, weight(3, 3, 5, 4), 2, "SAME")
    return (
        tf.space_to_batch(x, (2, 2), ((0, 0), (0, 0))),
        y,
        tf.image.crop_and_resize(x, tf.zeros((2, 4)), [0, 0], (4, 3)),
    )


@program(IMAGE)
def image_gradients(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        filters = weight(3, 3, 3, 4)
        tape.watch(filters)
        y = tf.nn.relu(tf.nn.conv2d(x, filters, 2, "SAME"))
        y = tf.nn.bias_add(tf.nn.max_pool2d(y, 2, 2, "VALID"), weight(4))
        y, _, _ = tf.compat.v1.nn.fused_batch_norm(y, weight(4), weight(4), is_training=True)
        y = tf.nn.elu(tf.nn.avg_pool2d(y, 1, 1, "VALID"))
        y = tf.image.resize(y, (6, 6)) + tf.image.resize(y, (6, 6), "nearest")
        loss = tf.reduce_mean(tf.square(tf.nn.lrn(y)))
    return tape.gradient(loss, [x, filters])


@program(ROWS, ROWS)
def row_gradients(x, y):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        joined = tf.concat([x, y], 1)
        hidden = tf.nn.softplus(tf.matmul(joined, weight(12, 5))) * tf.sigmoid(joined[:, 2:7])
        logits = tf.tanh(hidden) + tf.gather(hidden, [0, 2, 1, 4, 3], axis=1)
        loss = tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(logits), logits)
    return tape.gradient(loss, [x, y])


@program(ROWS)
def arrangements(x):
    n = tf.shape(x)[0]
    y = tf.reshape(x, tf.stack([n, 2, 3])), tf.reshape(x, [-1, 3]), tf.reshape(x, [n, -1, 2])
    z = tf.transpose(y[0], (2, 0, 1)), tf.tile(x, [2, 3]), tf.tile(x, tf.stack([1, n])), tf.expand_dims(x, -2)
    w = tf.broadcast_to(x, tf.concat([[4], tf.shape(x)], 0)), tf.reverse(x, [1]), tf.roll(x, 1, 0)
    return (
        y,
        z,
        w,
        tf.squeeze(x[:, None]),
        tf.stack([x, x], 1),
        tf.split(x, [1, 2, -1], 1),
        tf.linalg.band_part(x, 1, 1),
    )


@program(ROWS)
def slices(x):
    n = tf.shape(x)[0]
    return (
        x[1:],
        x[:, ::-1],
        x[..., :3],
        x[:-1, 2],
        x[::2, 1:5:2],
        x[n // 2 :],
        x[-1],
        tf.slice(x, [0, 1], [n, 3]),
        x[:, -2:],
    )


@program(ROWS)
def selections(x):
    top = tf.math.top_k(x, 3)
    where = tf.where(x > 0)
    unique, _, counts = tf.unique_with_counts(tf.cast(x[:, 0], tf.int32))
    mask = tf.boolean_mask(x, x[:, 0] > -100.0)
    return (
        top,
        where,
        unique,
        counts,
        mask,
        tf.gather_nd(x, [[0, 1], [0, 2]]),
        tf.argsort(x),
        tf.sort(x, 1),
        tf.one_hot(where[:, 0], 4),
    )


@program(ROWS)
def reductions(x):
    axes = tf.range(1, tf.rank(x))
    y = [
        f(x, axis) for f in (tf.reduce_sum, tf.reduce_max, tf.reduce_prod, tf.reduce_logsumexp) for axis in (0, 1, None)
    ]
    z = tf.reduce_mean(x, 1, keepdims=True), tf.norm(x, axis=1), tf.nn.moments(x, [0]), tf.reduce_any(x > 0, axes)
    return (
        y,
        z,
        tf.argmax(x, 1),
        tf.cumsum(x, 1),
        tf.math.cumulative_logsumexp(x),
        tf.nn.l2_normalize(x, 1),
        tf.nn.l2_loss(x),
    )


@program(SERIES, SERIES)
def contractions(x, y):
    a = tf.matmul(x, y, transpose_b=True), tf.einsum("btc,bsc->bts", x, y), tf.tensordot(x, weight(4, 5), 1)
    b = (
        tf.einsum("btc,cd->bdt", x, weight(4, 2)),
        tf.tensordot(x, weight(7, 3), [[1], [0]]),
        tf.linalg.matvec(x, y[:, 0]),
    )
    return a, b, tf.matmul(x, weight(4, 9)), tf.nn.conv1d(x, weight(3, 4, 6), 2, "SAME")


@program(ROWS)
def loops(x):
    i, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * 2.0), [0, x])
    items = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for step in tf.range(tf.shape(x)[1]):
        items = items.write(step, x[:, step] + 1.0)
    mapped = tf.map_fn(lambda row: tf.reduce_sum(row) * row[:2], x)
    scanned = tf.scan(lambda a, row: a + row, x)
    return i, y, items.stack(), mapped, scanned


@program(ROWS)
def growing_loop(x):
    y = x
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None, 6]))])
        y = tf.concat([y, x], 0)
    return y, y * 2.0, tf.matmul(y, weight(6, 2))


@program(ROWS)
def conditions(x):
    if tf.reduce_sum(x) > 0:
        y, z = tf.matmul(x, weight(6, 3)), x[:1]
    else:
        y, z = x[:, :3], x
    w = tf.switch_case(tf.shape(x)[0] % 3, [lambda: x, lambda: x + 1.0, lambda: tf.nn.relu(x)])
    return y + 1.0, z * 2.0, w, tf.cond(tf.shape(x)[1] > 3, lambda: x[:, :3], lambda: x)


@program((None, 5, 5))
def matrices(x):
    square = tf.matmul(x, x, transpose_b=True) + 3.0 * tf.eye(5)
    a = tf.linalg.inv(square), tf.linalg.cholesky(square), tf.linalg.det(square), tf.linalg.slogdet(square)
    b = tf.linalg.svd(x[:, :3]), tf.linalg.qr(x[:, :, :2]), tf.linalg.eigh(square), tf.linalg.solve(square, x[:, :, :2])
    c = tf.linalg.diag(x[:, 0]), tf.linalg.diag_part(x), tf.linalg.trace(x), tf.linalg.triangular_solve(square, x)
    return a, b, c, tf.linalg.set_diag(x, x[:, 0]), tf.linalg.lu(square), tf.linalg.logm(tf.cast(square, tf.complex64))


@program((None, 64))
def signals(x):
    spectrum = tf.signal.stft(x, 16, 8)
    back = tf.signal.inverse_stft(spectrum, 16, 8)
    mel = tf.matmul(tf.abs(spectrum), tf.signal.linear_to_mel_weight_matrix(10, 9, 8000))
    return (
        back,
        tf.signal.mfccs_from_log_mel_spectrograms(mel),
        tf.signal.rfft2d(x),
        tf.signal.dct(x),
        tf.signal.frame(x, 8, 4),
    )


@program((None,), dtype="string")
def strings(x):
    lower = tf.strings.lower(x)
    parts = tf.strings.split(lower).to_tensor("")
    hashed = tf.strings.to_hash_bucket_fast(parts, 10)
    joined = tf.strings.reduce_join(parts, 1), tf.strings.join([x, x]), tf.strings.substr(x, 0, 1)
    return (
        tf.nn.embedding_lookup(weight(10, 4), hashed),
        joined,
        tf.strings.length(x),
        tf.strings.regex_replace(x, "a", "b"),
        parts,
    )


@program((None,), dtype="string")
def examples(x):
    features = {
        "a": tf.io.FixedLenFeature((3,), tf.float32, [0.0] * 3),
        "b": tf.io.VarLenFeature(tf.int64),
        "c": tf.io.FixedLenSequenceFeature((2,), tf.float32, allow_missing=True),
    }
    parsed = tf.io.parse_example(x, features)
    return parsed["a"] * 2.0, tf.sparse.to_dense(parsed["b"]), parsed["c"]


@program(ROWS)
def sparse(x):
    held = tf.sparse.from_dense(x)
    product = tf.sparse.sparse_dense_matmul(held, weight(6, 3))
    moved = (
        tf.sparse.reorder(tf.sparse.transpose(held)),
        tf.sparse.reshape(held, [-1, 3]),
        tf.sparse.slice(held, [0, 0], [1, 3]),
    )
    return product, moved, tf.sparse.to_dense(held), tf.sparse.concat(1, [held, held]), tf.sparse.reduce_sum(held, 1)


@program(ROWS)
def segments(x):
    ids = tf.range(tf.shape(x)[0]) // 2
    a = tf.math.segment_sum(x, ids), tf.math.unsorted_segment_sum(x, ids, 4), tf.sparse.segment_mean(x, [0, 0], [0, 1])
    parts = tf.dynamic_partition(x, ids % 2, 2)
    stitched = tf.dynamic_stitch([[0, 2], [1]], [tf.constant([1, 2]), tf.constant([3])])
    return a, parts, stitched, tf.scatter_nd([[1], [3]], x[:2, 0], [8]), tf.tensor_scatter_nd_update(x, [[0, 1]], [1.0])


@program(ROWS)
def random_numbers(x):
    n = tf.shape(x)[0]
    a = tf.random.normal([n, 3]), tf.random.uniform([4, n], maxval=3, dtype=tf.int32), tf.random.shuffle(x)
    b = tf.random.stateless_uniform([n, 2], (1, 2)), tf.random.categorical(x, 5), tf.random.gamma([2], x[0] + 9.0)
    return a, b, tf.nn.dropout(x, 0.5), tf.random.truncated_normal(tf.shape(x)), tf.random.poisson([3], x[0] + 9.0)


@program((None, 4), (None,))
def boxes(x, scores):
    chosen = tf.image.non_max_suppression(x, scores, 3)
    padded, count = tf.image.non_max_suppression_padded(x, scores, 3, pad_to_max_output_size=True)
    combined = tf.image.combined_non_max_suppression(x[None, :, None], scores[None, :, None], 2, 4)
    return tf.gather(x, chosen), padded, count, combined


@program(ROWS)
def quantization(x):
    fake = tf.quantization.fake_quant_with_min_max_args(x, -3.0, 3.0)
    held, low, high = tf.quantization.quantize(x, -3.0, 3.0, tf.quint8)
    return fake, tf.quantization.dequantize(held, low, high), tf.bitcast(x, tf.uint8), tf.cast(x, tf.bfloat16)


@program(ROWS)
def elementwise(x):
    same = [
        f(x)
        for f in (tf.abs, tf.nn.gelu, tf.nn.swish, tf.nn.leaky_relu, tf.math.erf, tf.math.lgamma, tf.nn.relu6, tf.sign)
    ]
    pairs = (
        x + x[:1],
        x * x[:, :1],
        tf.maximum(x, 0.0),
        x // 2.0,
        tf.math.squared_difference(x, x[0]),
        tf.where(x > 0, x, 0.0),
    )
    return same, pairs, x > x[0], tf.clip_by_value(x, -1.0, 1.0), tf.math.is_nan(x), tf.complex(x, x), tf.add_n([x, x])


@program((None, None, None))
def open_sizes(x):
    a, b, c = tf.unstack(tf.shape(x))
    y = tf.reshape(x, [a * b, c]), tf.reshape(x, [a, -1]), tf.transpose(x), tf.reshape(x, [-1])
    return (
        y,
        x[:, : b // 2],
        tf.zeros([b, c]),
        tf.fill([a, 3], 1.0),
        tf.range(b),
        tf.linspace(0.0, 1.0, c),
        tf.meshgrid(tf.range(a), tf.range(c)),
    )


@program((None, 9), (None,), dtype="int32")
def sequences(x, lengths):
    mask = tf.sequence_mask(lengths, 9)
    ragged = tf.RaggedTensor.from_tensor(x, lengths % 9)
    return (
        mask,
        tf.reverse_sequence(x, lengths % 9, 1),
        ragged.to_tensor(),
        tf.sequence_mask(lengths),
        ragged.row_lengths(),
        tf.math.bincount(x, minlength=4, maxlength=8),
    )


@program((None, 4, 4, 4, 2))
def volumes(x):
    y = tf.nn.conv3d(x, weight(2, 2, 2, 2, 3), (1, 1, 2, 1, 1), "SAME")
    return (
        tf.nn.max_pool3d(y, 2, 2, "VALID"),
        tf.nn.avg_pool3d(y, 2, 1, "SAME"),
        tf.nn.conv3d_transpose(y, weight(2, 2, 2, 2, 3), tf.shape(x), (1, 1, 2, 1, 1)),
    )


@program(IMAGE)
def windows(x):
    filters = weight(3, 2, 3)
    with tf.GradientTape() as tape:
        tape.watch([x, filters])
        y = tf.nn.dilation2d(x, filters, (1, 2, 1, 1), "SAME", "NHWC", (1, 1, 2, 1))
    return (
        y,
        tape.gradient(y, [x, filters]),
        tf.nn.dilation2d(x, filters, (1, 1, 1, 1), "VALID", "NHWC", (1, 1, 1, 1)),
        tf.extract_volume_patches(x[:, None], (1, 1, 3, 2, 1), (1, 1, 2, 2, 1), "VALID"),
        tf.extract_volume_patches(x[:, None], (1, 1, 3, 2, 1), (1, 1, 2, 2, 1), "SAME"),
        tf.nn.fractional_max_pool(x, (1.0, 1.4, 1.7, 1.0)),
        tf.nn.fractional_avg_pool(x, (1.0, 1.4, 1.7, 1.0)),
        tf.image.extract_patches(x, (1, 2, 2, 1), (1, 2, 2, 1), (1, 2, 2, 1), "SAME"),
    )


@program((None, 4, 3))
def decompositions(x):
    square = tf.matmul(x, x, transpose_b=True)
    return (
        tf.linalg.svd(x),
        tf.linalg.svd(x, full_matrices=True),
        tf.linalg.svd(x, compute_uv=False),
        tf.raw_ops.Svd(input=x, compute_uv=False, full_matrices=False),
        tf.linalg.qr(x, full_matrices=True),
        tf.linalg.eigvalsh(square),
        tf.linalg.lu(square + tf.eye(4)),
    )


@program((None,), dtype="string")
def characters(x):
    decoded = tf.strings.unicode_decode(x, "UTF-8")
    letters, starts = tf.strings.unicode_decode_with_offsets(x, "UTF-8")
    words = tf.strings.split(x)
    return (
        decoded,
        letters,
        starts,
        decoded.to_tensor(-1),
        decoded.to_sparse(),
        tf.strings.unicode_encode(decoded, "UTF-8"),
        tf.strings.ngrams(words, 2),
        words.row_splits,
        tf.strings.unicode_script(decoded.flat_values),
    )


@program((None, 6), dtype="int32")
def ragged(x):
    rows = tf.RaggedTensor.from_tensor(x, 1 + x[:, 0] % 3)
    nested = tf.RaggedTensor.from_uniform_row_length(rows, 1)
    return (
        rows,
        tf.gather(rows, [0, 1, 0]),
        tf.gather(rows, [[0, 1], [1, 0]]),
        rows.to_sparse(),
        nested.to_sparse(),
        tf.math.bincount(rows, minlength=5, maxlength=5, axis=-1),
        tf.sparse.bincount(x, axis=-1),
        tf.sparse.bincount(rows, axis=-1),
        tf.reduce_sum(rows, 1),
        tf.ragged.boolean_mask(x, x > 0),
        tf.concat([rows, rows], 1),
        tf.raw_ops.RaggedTensorToVariant(
            rt_nested_splits=[rows.row_splits], rt_dense_values=rows.values, batched_input=True
        ),
        tf.map_fn(lambda row: row * 2, rows).to_tensor(),
    )


@program((None, 5), dtype="int32")
def sets(x):
    kept = tf.sparse.from_dense(x)
    indices, values = kept.indices, tf.cast(kept.values, tf.float32)
    numbers = tf.SparseTensor(indices, values, kept.dense_shape)
    return (
        tf.sets.union(x, x + 1),
        tf.sets.intersection(x, kept),
        tf.sets.difference(kept, kept),
        tf.sets.size(kept),
        tf.sparse.reduce_sum(numbers, 1),
        tf.sparse.reduce_max(numbers, 1, keepdims=True),
        tf.sparse.maximum(numbers, numbers),
        tf.unravel_index(x[:, 0], [3, 4]),
        tf.unravel_index(1, [3, 4]),
    )


@program(SERIES)
def labels(x):
    series = tf.transpose(x, (1, 0, 2))
    lengths = tf.fill([tf.shape(x)[0]], 7)
    found, scores = tf.nn.ctc_beam_search_decoder(series, lengths, 5, 2)
    return found, scores, tf.sparse.to_dense(found[0])


@program((None, 3))
def arrays(x):
    array = tf.compat.v1.raw_ops
    handle, flow = array.TensorArrayV3(size=2, dtype=tf.float32, element_shape=[None, 3], clear_after_read=False)
    flow = array.TensorArrayWriteV3(handle=handle, index=0, value=x, flow_in=flow)
    flow = array.TensorArrayWriteV3(handle=handle, index=1, value=x * 2.0, flow_in=flow)
    joined = array.TensorArrayConcatV3(handle=handle, flow_in=flow, dtype=tf.float32)
    read = array.TensorArrayReadV3(handle=handle, index=1, flow_in=flow, dtype=tf.float32)
    return joined, read, array.TensorArraySizeV3(handle=handle, flow_in=flow)


@program((2, 3))
def stacked_in_parallel(x):
    return tf.parallel_stack([x, x + 1.0, x * 2.0])


def main() -> None:
    """Write a folder for each program."""
    for name in PROGRAMS:
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        module = tf.Module()
        module.f = traced(name)
        tf.saved_model.save(module, os.path.join(folder, "saved"), signatures=module.f)
        for label, lower in (("frozen", False), ("lowered", True)):
            frozen = convert_variables_to_constants_v2(module.f, lower_control_flow=lower)
            tf.io.write_graph(frozen.graph, folder, f"{label}.pb", as_text=False)
        print(name, flush=True)


def traced(name: str):
    """Return a program as a concrete function, whose outputs have names."""
    function, specs = PROGRAMS[name]

    def call(*inputs):
        made = tf.nest.flatten(function(*inputs), expand_composites=True)
        return {f"y{at}": each for at, each in enumerate(made) if isinstance(each, tf.Tensor)}

    return tf.function(call, input_signature=specs).get_concrete_function()


if __name__ == "__main__":
    main()
