// What an item is in a few words: its family, which gives it a colour, and the settings that a reader looks for first.

import type { Item, Model } from "./model";

export type Family = "convolution" | "linear" | "normalization" | "activation" | "pooling" | "attention" | "embedding" | "recurrent" | "merge" | "other";

export const FAMILY_NAMES: Family[] = ["convolution", "linear", "attention", "embedding", "recurrent", "normalization", "activation", "pooling", "merge"];

const FAMILIES: [RegExp, Family][] = [
  [/attention|sdpa|attn/i, "attention"],
  [/conv/i, "convolution"],
  [/norm/i, "normalization"],
  [/embed/i, "embedding"],
  [/pool/i, "pooling"],
  [/lstm|gru|rnn/i, "recurrent"],
  [/linear|dense|matmul|bmm|addmm|einsum|gemm|mlp|feedforward/i, "linear"],
  [/relu|gelu|silu|swish|sigmoid|tanh|softmax|mish|elu|activation|hardswish|softplus/i, "activation"],
  [/^(add|concatenate|cat|concat|mul|multiply|either|stack|sub|where)_?$/i, "merge"],
];

export function family(item: Item): Family {
  if (item.kind === "input" || item.kind === "output") return "other";
  return FAMILIES.find(([pattern]) => pattern.test(item.title))?.[1] ?? "other";
}

function short(value: unknown): string | null {
  if (typeof value === "number" || typeof value === "string") return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "number")) {
    return value.every((each) => each === value[0]) && value.length ? String(value[0]) : value.join("×");
  }
  if (value && typeof value === "object" && "symbolic" in value) return String(value.symbolic);
  return null;
}

/** The settings of a module that say most about it: `64 → 128, 3×3, stride 2`. */
export function brief(config: Record<string, unknown>, title = ""): string {
  const dimensions = Number(/([123])[dD](?![a-z])/.exec(title)?.[1] ?? 0);
  const get = (...names: string[]): string | null => {
    for (const name of names) {
      const text = name in config ? short(config[name]) : null;
      if (text !== null) return text;
    }
    return null;
  };
  const words: string[] = [];
  const [input, output] = [get("in_channels", "in_features", "input_size"), get("out_channels", "out_features", "hidden_size", "filters", "units")];
  if (output !== null) words.push(input !== null ? `${input} → ${output}` : output);
  const kernel = get("kernel_size", "pool_size");
  if (kernel !== null) {
    const given = config.kernel_size ?? config.pool_size;
    const times = Array.isArray(given) ? given.length : dimensions;
    words.push(kernel.includes("×") ? kernel : times > 1 ? Array(times).fill(kernel).join("×") : `kernel ${kernel}`);
  }
  const stride = get("stride", "strides");
  if (stride !== null && stride !== "1" && stride !== kernel) words.push(`stride ${stride}`);
  for (const [name, text] of [["dilation", "dilation"], ["groups", "groups"]]) {
    const value = get(name);
    if (value !== null && value !== "1") words.push(`${text} ${value}`);
  }
  if (!words.length) {
    const counted = get("num_embeddings", "input_dim");
    const width = get("embedding_dim", "output_dim", "normalized_shape", "num_features", "num_channels", "embed_dim");
    if (counted !== null && width !== null) words.push(`${counted} × ${width}`);
    else if (width !== null) words.push(width);
    const size = get("output_size");
    if (size !== null) words.push(`to ${size}`);
  }
  const heads = get("num_heads", "n_head", "nhead");
  if (heads !== null) words.push(`${heads} heads`);
  const rate = get("p", "rate");
  if (!words.length && rate !== null) words.push(`p=${rate}`);
  return words.join(", ");
}

/** The second line of a box. */
export function subtitle(item: Item, model: Model): string {
  const module = model.module(item);
  if ((item.kind === "module" || item.kind === "call") && module) {
    const settings = item.children.some((child) => child.kind !== "op") ? "" : brief(module.config, item.title);
    return [item.drawnAs ?? item.label, settings].filter(Boolean).join(" · ");
  }
  if (item.kind === "group" || item.kind === "chunk") return item.label;
  return "";
}

export function times(item: Item): string {
  const parts: string[] = [];
  if (item.count > 1) parts.push(`× ${item.count}`);
  if (item.repeat !== undefined) parts.push(`× ${item.repeat ?? "?"}`);
  return parts.join(" ");
}
