// What the parts of the page share: the network that is shown, what is selected, and how to change both.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FigureName, Network, PageData } from "./data";
import { bytesOf, FIGURES } from "./data";
import type { Evaluator, Sum } from "./formula";
import { sum } from "./formula";
import type { Item, Model } from "./model";

export type View = "graph" | "table" | "costs" | "memory" | "notes" | "changes";
export type Metric = "none" | "parameters" | "macs" | "activation_bytes";

export interface State {
  data: PageData;
  shownNetwork: number;
  model: Model;
  network: Network;
  evaluator: Evaluator;
  selected: Item | null;
  metric: Metric;
  unfolded: Set<string>;
  matches: Set<string> | null;
  showNetwork: (at: number, path?: string) => void;
  select: (item: Item | null, reveal?: boolean) => void;
  setMetric: (metric: Metric) => void;
  toggle: (item: Item) => void;
  setUnfolded: (unfolded: Set<string>) => void;
}

export const StateContext = createContext<State>(null as unknown as State);
export const useShared = (): State => useContext(StateContext);

/** A figure of everything that an item stands for. */
export function figureOf(item: Item, name: FigureName, model: Model, evaluator: Evaluator): Sum {
  if (item.op !== undefined) {
    const op = model.network.ops[item.op];
    if (name === "macs") return sum([[op.macs, 1]], evaluator);
    if (name === "activation_bytes" && op.allocates) return sum(op.outputs.map((value) => [bytesAsQuantity(model, value, evaluator), 1]), evaluator);
    return { low: 0n, high: 0n, exact: true };
  }
  if (item.modules.length && (item.kind !== "call" || name !== "macs" && name !== "activation_bytes")) {
    const at = FIGURES.indexOf(name);
    return sum(item.modules.map((module) => model.network.modules[module].cost[at]), evaluator);
  }
  const total: Sum = { low: 0n, high: 0n, exact: true };
  for (const child of item.children) {
    const part = figureOf(child, name, model, evaluator);
    total.low += part.low;
    total.high += part.high;
    total.exact &&= part.exact;
  }
  return total;
}


function bytesAsQuantity(model: Model, value: string, evaluator: Evaluator): number | null {
  return tensorBytes(model.network, value, evaluator);
}

/** The bytes of a tensor at the sizes that are set, or null where they are unknown. */
export function tensorBytes(network: Network, value: string, evaluator: Evaluator): number | null {
  const [shape, dtype] = network.values[value] ?? [null, null];
  const width = bytesOf(dtype);
  if (shape === null || width === null) return null;
  let total = BigInt(width);
  for (const size of shape) {
    const amount = evaluator.amount(size);
    if (amount === null) return null;
    total *= amount.high;
  }
  return Number(total);
}
