// What is drawn: the folded tree of modules with the operations in them, and the graph of what is unfolded.

import type { Change, Difference, Module, Network, Op, Quantity, Shape, TreeNode } from "./data";
import type { Evaluator } from "./formula";

export type Kind = "module" | "group" | "call" | "op" | "chunk" | "input" | "output";

/** Something that can be drawn and selected. */
export interface Item {
  id: string;
  kind: Kind;
  label: string;
  title: string;
  count: number;
  repeat?: Quantity;
  modules: number[];
  op?: number;
  value?: number;
  /** What it is drawn in. */
  parent: Item | null;
  /** The module that it is in, as the tree lists it. */
  above: Item | null;
  /** What is drawn inside of it. */
  children: Item[];
  /** The modules in it, as the tree lists them. */
  parts: Item[];
  /** The module that this is one of several calls of. */
  of?: Item;
  /** Its name where it is drawn outside of the list that it is in. */
  drawnAs?: string;
  /** The boxes that are drawn in its place: calls here and there of one module, or the parts of a list. */
  calls?: Item[];
  depth: number;
  condition?: string;
  /** The first operation in it, by which siblings are ordered. */
  first: number;
  last: number;
}

export interface Status {
  kind: Change["kind"];
  details: string[];
}

const LARGEST_CONTAINER = 160;
const CHUNK = 40;
/** A separator between two names that no name contains. */
const BETWEEN = "\u0000";

/** The names of folded siblings in short: `1-2`, `conv1-3`, `query, key, value`. */
export function label(names: string[]): string {
  if (names.length === 1) return names[0].replace(/#\d+$/, "");
  const parts = names.map((name) => /^(.*?)(\d+)$/.exec(name));
  const first = parts[0];
  if (first && parts.every((part, at) => part && part[1] === first[1] && Number(part[2]) === Number(first[2]) + at)) {
    return `${names[0]}–${parts[parts.length - 1]![2]}`;
  }
  return names.length <= 3 ? names.join(", ") : `${names[0]}, ${names[1]}, … ${names[names.length - 1]}`;
}

export function shortOp(op: string): string {
  return op.slice(op.lastIndexOf(".") + 1);
}

/** One network, prepared for the page. */
export class Model {
  readonly root: Item;
  readonly items = new Map<string, Item>();
  readonly byPath = new Map<string, Item>();
  readonly moduleAt = new Map<string, number>();
  readonly producer = new Map<string, number>();
  readonly consumers = new Map<string, number[]>();
  /** The item of an operation, and the item that stands for it where the operation is in a repetition that is not drawn. */
  private readonly homes: Item[] = [];
  private readonly limits: (Item | null)[] = [];
  readonly faulty = new Set<Item>();
  readonly statuses = new Map<string, Status>();
  readonly called = new Set<string>();
  readonly wasCalled: boolean;

  constructor(
    readonly network: Network,
    difference: Difference | null,
    isAfter: boolean,
  ) {
    network.modules.forEach((module, at) => this.moduleAt.set(module.path, at));
    this.root = this.build(network.tree ?? { names: [""], modules: [], count: 1, children: [] }, null, "m");
    this.root.label = network.name;
    network.ops.forEach((op, at) => this.addOp(op, at));
    for (const item of [...this.items.values()]) if (item.kind === "module") this.splitCalls(item);
    for (const item of [...this.items.values()]) if (item.kind === "module") this.dissolve(item);
    for (const item of this.items.values()) if (item.kind !== "op") this.sort(item);
    this.chunk(this.root);
    network.inputs.forEach((value, at) => this.terminal("input", value.name || "input", at));
    network.outputs.forEach((value, at) => this.terminal("output", value.name || "output", at));
    this.wasCalled = network.modules.some((module) => module.calls.length > 0) || network.ops.length > 0;
    for (const module of network.modules) if (module.calls.length) this.ancestors(module.path).forEach((p) => this.called.add(p));
    this.findFaults();
    for (const change of difference?.changes ?? []) {
      if (change.kind === (isAfter ? "removed" : "added")) continue;
      this.statuses.set(isAfter ? change.now : change.path, change);
    }
  }

  private ancestors(path: string): string[] {
    const found = [""];
    for (let at = path.indexOf(this.network.separator); at >= 0; at = path.indexOf(this.network.separator, at + 1)) {
      found.push(path.slice(0, at));
    }
    if (path) found.push(path);
    return found;
  }

  private add(item: Item): Item {
    this.items.set(item.id, item);
    return item;
  }

  private build(node: TreeNode, parent: Item | null, id: string): Item {
    const module = node.modules.length ? this.network.modules[node.modules[0]] : undefined;
    const item: Item = this.add({
      id,
      kind: node.modules.length || !parent ? "module" : "group",
      label: label(node.names),
      title: module ? module.class || "?" : parent ? `${node.children.length} modules` : this.network.name,
      count: node.count,
      repeat: module?.repeat?.[0],
      modules: node.modules,
      parent,
      above: parent,
      children: [],
      parts: [],
      depth: parent ? parent.depth + 1 : 0,
      condition: module?.condition,
      first: Infinity,
      last: -1,
    });
    for (const at of node.modules) this.byPath.set(this.network.modules[at].path, item);
    item.parts = node.children.map((child, at) => this.build(child, item, `${id}.${at}`));
    item.children = [...item.parts];
    return item;
  }

  private owner(path: string): Item {
    for (;;) {
      const item = this.byPath.get(path);
      if (item) return item;
      if (!path) return this.root;
      const at = path.lastIndexOf(this.network.separator);
      path = at < 0 ? "" : path.slice(0, at);
    }
  }

  private addOp(op: Op, at: number): void {
    const home = this.owner(op.module);
    let limit: Item | null = null;
    for (let item: Item | null = home; item; item = item.parent) {
      if (!item.modules.length) continue;
      const primary = this.network.modules[item.modules[0]].path;
      if (primary && op.module !== primary && !op.module.startsWith(primary + this.network.separator)) {
        limit = item.parent?.kind === "group" ? item.parent : item;
      }
    }
    for (const name of op.inputs) {
      const uses = this.consumers.get(name);
      if (uses) uses.push(at);
      else this.consumers.set(name, [at]);
    }
    for (const name of op.outputs) this.producer.set(name, at);
    for (let item: Item | null = home; item; item = item.parent) {
      item.first = Math.min(item.first, at);
      item.last = Math.max(item.last, at);
    }
    this.limits[at] = limit;
    if (limit) {
      this.homes[at] = home;
      return;
    }
    const item = this.add({
      id: `o${at}`,
      kind: "op",
      label: "",
      title: shortOp(op.op),
      count: 1,
      repeat: op.repeat?.[0],
      modules: [],
      op: at,
      parent: home,
      above: home,
      children: [],
      parts: [],
      depth: home.depth + 1,
      condition: op.condition,
      first: at,
      last: at,
    });
    home.children.push(item);
    this.homes[at] = item;
  }

  /** Draws a module without parts once for each place that it is called at, so that the graph has no circles. */
  private splitCalls(item: Item): void {
    if (item.parts.length || !item.parent || item.children.length < 2) return;
    const runs: Item[][] = [];
    for (const op of item.children) {
      const run = runs[runs.length - 1];
      if (run && this.network.ops.slice(run[run.length - 1].op! + 1, op.op!).every((other) => this.owner(other.module) === item)) run.push(op);
      else runs.push([op]);
    }
    if (runs.length < 2) return;
    item.calls = runs.map((run, at) => {
      const call = this.add({ ...item, id: `${item.id}@${at}`, kind: "call", children: run, of: item, first: run[0].op!, last: run[run.length - 1].op! });
      for (const op of run) op.parent = call;
      return call;
    });
    item.children = item.calls;
    item.parent.children.splice(item.parent.children.indexOf(item), 1, ...item.calls);
  }

  /** Draws the parts of a list of modules in place of the list, which is never called itself. */
  private dissolve(item: Item): void {
    if (!item.parent || !item.parts.length || item.count > 1 || item.first === Infinity || this.module(item)?.calls.length) return;
    item.parent.children.splice(item.parent.children.indexOf(item), 1, ...item.children);
    for (const child of item.children) {
      child.parent = item.parent;
      if (child.kind === "module" || child.kind === "call") child.drawnAs = [item.drawnAs ?? item.label, child.label].join(this.network.separator);
    }
    item.calls = item.children;
  }

  private sort(item: Item): void {
    if (item.children.some((child) => child.first !== Infinity)) {
      // What never runs keeps its place after the one before it in the tree.
      let before = -1;
      const keys = new Map(item.children.map((child) => [child, (before = child.first === Infinity ? before : child.first)]));
      item.children.sort((a, b) => keys.get(a)! - keys.get(b)!);
    }
  }

  private chunk(item: Item): void {
    for (const child of [...item.children]) this.chunk(child);
    while (item.children.length > LARGEST_CONTAINER) {
      const children = item.children;
      item.children = [];
      for (let start = 0; start < children.length; start += CHUNK) {
        const part = children.slice(start, start + CHUNK);
        const chunk = this.add({
          id: `${item.id}/${part[0].id}`,
          kind: "chunk",
          label: `${start + 1}–${start + part.length}`,
          title: part.every((each) => each.kind === "op") ? `${part.length} operations` : `${part.length} parts`,
          count: 1,
          modules: [],
          parent: item,
          above: item,
          children: part,
          parts: [],
          depth: item.depth + 1,
          first: part[0].first,
          last: Math.max(...part.map((each) => each.last)),
        });
        for (const each of part) each.parent = chunk;
        item.children.push(chunk);
      }
    }
  }

  private terminal(kind: "input" | "output", name: string, at: number): void {
    this.add({
      id: `${kind === "input" ? "in" : "out"}${at}`, kind, label: "", title: name, count: 1, modules: [], value: at, parent: this.root, above: this.root,
      children: [], parts: [], depth: 1, condition: this.network[kind === "input" ? "inputs" : "outputs"][at].condition,
      first: kind === "input" ? -1 : Infinity, last: -1,
    });
  }

  private findFaults(): void {
    if (!this.network.diagnostics.length) return;
    let deepest: Module | null = null;
    for (const module of this.network.modules) {
      if (module.calls.some((call) => call.outputs === null) && (!deepest || module.path.length >= deepest.path.length)) {
        if (!deepest || module.path.startsWith(deepest.path)) deepest = module;
      }
    }
    this.faulty.add(deepest ? this.byPath.get(deepest.path)! : this.root);
  }

  module(item: Item): Module | undefined {
    return item.modules.length ? this.network.modules[item.modules[0]] : undefined;
  }

  op(item: Item): Op | undefined {
    return item.op === undefined ? undefined : this.network.ops[item.op];
  }

  path(item: Item): string {
    const module = this.module(item);
    if (module) return module.path || "(root)";
    if (item.op !== undefined) return this.network.ops[item.op].module || "(root)";
    return item.parent && item.kind !== "input" && item.kind !== "output" ? this.path(item.parent) : "";
  }

  status(item: Item): Status | undefined {
    for (const at of item.modules) {
      const status = this.statuses.get(this.network.modules[at].path);
      if (status) return status;
    }
    return undefined;
  }

  /** Tells whether something below an item has changed, which is worth a mark while it is folded. */
  changedBelow(item: Item): boolean {
    return item.children.some((child) => this.status(child) !== undefined || this.changedBelow(child));
  }

  faultBelow(item: Item): boolean {
    for (const faulty of this.faulty) for (let at: Item | null = faulty; at; at = at.parent) if (at === item) return true;
    return false;
  }

  /** Tells whether an item is there with the conditions that are set: yes, no, or undefined where both are shown. */
  present(item: Item, evaluator: Evaluator): boolean | undefined {
    let presence: boolean | undefined = true;
    for (let at: Item | null = item; at; at = at.parent) {
      if (at.condition === undefined) continue;
      const holds = evaluator.holds(this.network.presence[at.condition]);
      if (holds === false) return false;
      if (holds === undefined) presence = undefined;
    }
    return presence;
  }

  /** A module is drawn with its parts where it has any that say more than itself. */
  canUnfold(item: Item): boolean {
    if (item === this.root) return false;
    return item.children.length > 1 || (item.children.length === 1 && item.children[0].kind !== "op");
  }

  /** The items to unfold at first: level by level, as long as what is drawn stays small. */
  initially(most = 30): Set<string> {
    const unfolded = new Set<string>();
    let shown = this.root.children.length;
    const hasParts = (item: Item): boolean => this.canUnfold(item) && item.children.some((child) => child.kind !== "op");
    let level = this.root.children.filter(hasParts);
    while (level.length) {
      const added = level.reduce((sum, item) => sum + item.children.length - 1, 0);
      if (shown + added > most || level.some((item) => item.kind === "chunk")) break;
      shown += added;
      for (const item of level) unfolded.add(item.id);
      level = level.flatMap((item) => item.children.filter(hasParts));
    }
    for (const faulty of this.faulty) for (const item of this.chain(faulty)) unfolded.add(item.id);
    return unfolded;
  }

  /** The item that stands for an operation, with what is unfolded. */
  visible(op: number, unfolded: Set<string>): Item {
    const home = this.homes[op];
    const limit = this.limits[op];
    const chain: Item[] = [];
    for (let item: Item | null = home; item && item !== this.root; item = item.parent) chain.push(item);
    for (const item of chain.reverse()) {
      if (item === limit || !unfolded.has(item.id) || !this.canUnfold(item)) return item;
    }
    return chain.length ? chain[chain.length - 1] : home;
  }

  /** The items from the root to one, so that it can be unfolded to. */
  chain(item: Item): Item[] {
    const found: Item[] = [];
    for (let at = item.parent; at && at !== this.root; at = at.parent) found.push(at);
    return found;
  }

  edges(unfolded: Set<string>, evaluator: Evaluator): Edge[] {
    const found = new Map<string, Edge>();
    const there = (item: Item): boolean => this.present(item, evaluator) !== false;
    const connect = (from: Item, to: Item, shape: Shape): void => {
      if (from === to || contains(from, to) || contains(to, from) || !there(from) || !there(to)) return;
      const key = from.id + BETWEEN + to.id;
      const edge = found.get(key);
      const text = JSON.stringify(shape);
      if (!edge) found.set(key, { from, to, shapes: [shape], texts: new Set([text]) });
      else if (!edge.texts.has(text)) {
        edge.texts.add(text);
        edge.shapes.push(shape);
      }
    };
    const inputs = new Map(this.network.inputs.map((value, at) => [value.name, this.items.get(`in${at}`)!]));
    this.network.ops.forEach((op, at) => {
      if (!there(this.homes[at])) return;
      const to = this.visible(at, unfolded);
      for (const name of op.inputs) {
        const made = this.producer.get(name);
        const from = made === undefined ? inputs.get(name) : made < at ? this.visible(made, unfolded) : undefined;
        if (from && there(from) && (made === undefined || there(this.homes[made]))) {
          connect(from, to, this.network.values[name]?.[0] ?? null);
        }
      }
    });
    for (const [item, made] of this.arriving()) connect(this.visible(made, unfolded), item, this.network.values[this.network.ops[made].outputs[0]]?.[0] ?? null);
    for (const [at, made] of this.leaving()) connect(this.visible(made, unfolded), this.items.get(`out${at}`)!, this.network.outputs[at].shape);
    return [...found.values()];
  }

  /** What a module that failed was called with: the only unused result of that shape. */
  private arriving(): [Item, number][] {
    const unused = [...this.producer].filter(([name]) => !this.consumers.has(name));
    const found: [Item, number][] = [];
    for (const item of this.faulty) {
      if (item === this.root || item.first !== Infinity) continue;
      const shape = JSON.stringify(this.module(item)?.calls.find((call) => call.outputs === null)?.inputs[0] ?? null);
      const fitting = unused.filter(([name]) => JSON.stringify(this.network.values[name][0]) === shape);
      if (fitting.length === 1) found.push([item, fitting[0][1]]);
    }
    return found;
  }

  /** Outputs whose operation is certain: the only unused result of that shape and type. */
  private leaving(): [number, number][] {
    const unused = [...this.producer].filter(([name]) => !this.consumers.has(name));
    const found: [number, number][] = [];
    this.network.outputs.forEach((value, at) => {
      const same = (shape: Shape, dtype: string | null): boolean =>
        JSON.stringify(shape) === JSON.stringify(value.shape) && dtype === value.dtype;
      const fitting = unused.filter(([name]) => same(...this.network.values[name]));
      const rivals = this.network.outputs.filter((other) => same(other.shape, other.dtype));
      if (fitting.length === 1 && rivals.length === 1) found.push([at, fitting[0][1]]);
    });
    return found;
  }
}

export interface Edge {
  from: Item;
  to: Item;
  shapes: Shape[];
  texts: Set<string>;
}

function contains(outer: Item, inner: Item): boolean {
  for (let at: Item | null = inner.parent; at; at = at.parent) if (at === outer) return true;
  return false;
}
