// The data that the page is given; `report/page_data.py` writes it.

/** A number, the text of a formula in `formulas`, or null where it is unknown. */
export type Quantity = number | string | null;
export type Shape = Quantity[] | null;
/** The known part of a sum, and 1 where that is all of it. */
export type Figure = [Quantity, number];
/** A file and a line; 0 stands for the whole file. */
export type Place = [string, number];

export type Atom = string | [string, Size, Size];
export type Term = [number | string, [Atom, number][]];
export type Size = number | string | Term[];

export interface Value {
  name: string;
  shape: Shape;
  dtype: string | null;
  condition?: string;
}

export interface Call {
  inputs: Shape[];
  outputs: Shape[] | null;
  dtypes: (string | null)[];
  condition?: string;
}

export interface Module {
  path: string;
  class: string;
  qualified: string;
  config: Record<string, unknown>;
  origins: Record<string, string>;
  source?: Place;
  calls: Call[];
  cost: Figure[];
  tied?: boolean;
  complete?: boolean;
  condition?: string;
  repeat?: [Quantity];
  assumed?: string[];
}

export interface Weight {
  name: string;
  shape: Shape;
  dtype: string | null;
  kind: string;
  trainable: boolean | null;
  tied?: string;
  module: string | null;
  condition?: string;
  repeat?: [Quantity];
}

export interface Op {
  op: string;
  attributes: Record<string, unknown>;
  inputs: string[];
  outputs: string[];
  module: string;
  source?: Place;
  macs: Quantity;
  allocates: boolean;
  condition?: string;
  repeat?: [Quantity];
}

export interface TreeNode {
  names: string[];
  modules: number[];
  count: number;
  children: TreeNode[];
}

export interface Note {
  text: string;
  place: Place | null;
  module?: string | null;
}

export interface Diagnostic {
  code: string;
  message: string;
  place: Place | null;
  notes: Note[];
}

export interface Condition {
  text: string;
  kind: string;
  place: Place | null;
  holds: boolean | null;
}

export interface Network {
  name: string;
  target: string;
  framework: string;
  separator: string;
  mode: string | null;
  inputs: Value[];
  outputs: Value[];
  modules: Module[];
  weights: Weight[];
  ops: Op[];
  tree: TreeNode | null;
  values: Record<string, [Shape, string | null]>;
  totals: Record<string, Figure>;
  lifetimes: [number, number, number][];
  unknowns: Note[];
  assumptions: Note[];
  diagnostics: Diagnostic[];
  conditions: Condition[];
  requires: string | null;
  sizes: Record<string, { value: number; least: number; multiple: number }>;
  known: { facts: number; unknown: number; assumed: number };
  formulas: Record<string, Term[]>;
  presence: Record<string, Size | null>;
  sources: Record<string, Record<string, string>>;
}

export interface Change {
  kind: "added" | "removed" | "renamed" | "changed";
  path: string;
  class: string;
  now: string;
  details: string[];
}

export interface Difference {
  changes: Change[];
  /** Changes that are the same in all copies of a block, by their numbers in `changes`. */
  groups: { label: string; changes: number[] }[];
  effects: { name: string; before: Quantity; after: Quantity }[];
}

export interface PageData {
  networks: Network[];
  difference: Difference | null;
}

/** The order of the figures in `Module.cost`. */
export const FIGURES = ["parameters", "trainable_parameters", "buffers", "weight_bytes", "macs", "activation_bytes"] as const;
export type FigureName = (typeof FIGURES)[number];

const BYTES: Record<string, number> = {
  bool: 1, uint8: 1, int8: 1, int16: 2, uint16: 2, float16: 2, bfloat16: 2, int32: 4, uint32: 4, float32: 4,
  int64: 8, uint64: 8, float64: 8, complex32: 4, complex64: 8, complex128: 16,
  float8_e4m3fn: 1, float8_e5m2: 1, quint8: 1, qint8: 1, qint32: 4,
};

/** Bytes of an element, or null where the type is not known. */
export function bytesOf(dtype: string | null): number | null {
  return dtype === null ? null : (BYTES[dtype] ?? null);
}
