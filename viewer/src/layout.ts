// Places for boxes and lines: ELK in a worker, which is made from the text in this page.

import type { ElkNode } from "elkjs/lib/elk-api";
import { family, subtitle, times } from "./describe";
import type { Evaluator } from "./formula";
import type { Item, Model } from "./model";
import { shape } from "./numbers";

export interface Box {
  item: Item;
  title: string;
  x: number;
  y: number;
  width: number;
  height: number;
  unfolded: boolean;
  subtitle: string;
  times: string;
  family: string;
}

export interface Line {
  id: string;
  from: Item;
  to: Item;
  points: { x: number; y: number }[];
  label: string;
  labelAt: { x: number; y: number; width: number } | null;
}

export interface Drawing {
  boxes: Box[];
  lines: Line[];
  width: number;
  height: number;
}

let worker: Promise<Worker> | null = null;
let serial = 0;
const waiting = new Map<number, { resolve: (graph: ElkNode) => void; reject: (error: Error) => void }>();

async function start(): Promise<Worker> {
  const text = document.getElementById("engine")!.textContent!;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(stream).blob();
  const made = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  made.onmessage = (event) => {
    const { id, data, error } = event.data;
    const entry = waiting.get(id);
    waiting.delete(id);
    if (error) entry?.reject(new Error(error.message ?? String(error)));
    else entry?.resolve(data);
  };
  made.onerror = () => {
    for (const entry of waiting.values()) entry.reject(new Error("the layout engine failed"));
    waiting.clear();
  };
  made.postMessage({ id: -1, cmd: "register", algorithms: ["layered", "rectpacking"] });
  return made;
}

/** Starts the engine early, while the page is drawn for the first time. */
export function warmUp(): void {
  worker ??= start();
}

async function run(graph: ElkNode, options: Record<string, string>): Promise<ElkNode> {
  warmUp();
  const engine = await worker!;
  return new Promise((resolve, reject) => {
    const id = serial++;
    waiting.set(id, { resolve, reject });
    engine.postMessage({ id, cmd: "layout", graph, layoutOptions: options, options: {} });
  });
}

const canvas = document.createElement("canvas").getContext("2d")!;
const measured = new Map<string, number>();

export function textWidth(text: string, font: string): number {
  const key = font + text;
  let width = measured.get(key);
  if (width === undefined) {
    canvas.font = font;
    width = canvas.measureText(text).width;
    measured.set(key, width);
  }
  return width;
}

const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const TITLE = `600 13px ${SANS}`;
const SMALL = `11px ${SANS}`;
const MOST_WIDTH = 300;

function clipped(text: string, font: string): string {
  if (textWidth(text, font) <= MOST_WIDTH) return text;
  while (text.length > 4 && textWidth(text + "…", font) > MOST_WIDTH) text = text.slice(0, -1);
  return text + "…";
}

export async function layOut(model: Model, unfolded: Set<string>, evaluator: Evaluator, across: boolean): Promise<Drawing> {
  const edges = model.edges(unfolded, evaluator);
  const boxes = new Map<string, Box>();
  // A module that computes nothing, such as a dropout in evaluation mode, would be a box that no line leads to.
  const connected = new Set(edges.flatMap((edge) => [edge.from.id, edge.to.id]));
  const isIdle = (item: Item): boolean => edges.length > 0 && item.kind === "module" && item.first === Infinity && !connected.has(item.id) && model.called.has(model.module(item)?.path ?? "");
  const there = (item: Item): boolean => model.present(item, evaluator) !== false && !isIdle(item);

  const node = (item: Item): ElkNode => {
    const open = unfolded.has(item.id) && model.canUnfold(item);
    const second = clipped(subtitle(item, model), SMALL);
    const many = times(item);
    const condition = item.condition === undefined ? "" : `if ${item.condition}`;
    const value = item.kind === "input" || item.kind === "output" ? model.network[item.kind === "input" ? "inputs" : "outputs"][item.value!] : null;
    const title = clipped(value ? `${item.title}  ${shape(value.shape, evaluator)}` : item.title, TITLE);
    const first = textWidth(title, TITLE) + (many ? textWidth(many, TITLE) + 14 : 0) + (model.canUnfold(item) ? 20 : 0);
    const width = Math.ceil(Math.max(72, first + 30, textWidth(second, SMALL) + 30, textWidth(clipped(condition, SMALL), SMALL) + 30));
    const height = (second ? 42 : 30) + (condition ? 15 : 0);
    boxes.set(item.id, { item, title, x: 0, y: 0, width, height, unfolded: open, subtitle: second, times: many, family: family(item) });
    if (!open) return { id: item.id, width, height };
    const top = height + 8;
    return {
      id: item.id,
      children: item.children.filter(there).map(node),
      layoutOptions: {
        "elk.padding": `[top=${top},left=14,bottom=14,right=14]`,
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.nodeSize.minimum": `(${width},${height})`,
      },
    };
  };

  const terminals = [...model.items.values()].filter((item) => item.kind === "input" || item.kind === "output");
  const shown = [...terminals.filter((item) => connected.has(item.id)), ...model.root.children];
  const inputs = shown.filter((item) => item.kind === "input");
  const outputs = shown.filter((item) => item.kind === "output");
  const names = new Set(model.network.inputs.map((value) => value.name));
  const isInput = (item: Item): boolean => item.first === Infinity && names.has(model.module(item)?.path ?? "");
  const middle = shown.filter((item) => !isInput(item) && item.kind !== "input" && item.kind !== "output" && there(item));
  const children = [...inputs, ...middle, ...outputs].map(node);
  const labels = new Map(edges.map((edge, at) => [`e${at}`, edge.shapes.slice(0, 2).map((each) => shape(each, evaluator)).join(", ") + (edge.shapes.length > 2 ? ", …" : "")]));
  const many = boxes.size > 400;
  const layered = edges.length > 0;
  const graph: ElkNode = {
    id: "root",
    children,
    edges: edges.map((edge, at) => {
      const text = labels.get(`e${at}`)!;
      return {
        id: `e${at}`,
        sources: [edge.from.id],
        targets: [edge.to.id],
        labels: many ? [] : [{ id: `l${at}`, text, width: textWidth(text, SMALL) + 8, height: 14 }],
      };
    }),
  };
  const options: Record<string, string> = layered
    ? {
        "elk.algorithm": "layered",
        "elk.direction": across ? "RIGHT" : "DOWN",
        "elk.hierarchyHandling": "INCLUDE_CHILDREN",
        "elk.json.shapeCoords": "ROOT",
        "elk.json.edgeCoords": "ROOT",
        "elk.edgeRouting": "ORTHOGONAL",
        "elk.layered.spacing.nodeNodeBetweenLayers": "12",
        "elk.layered.spacing.edgeNodeBetweenLayers": "10",
        "elk.spacing.nodeNode": "22",
        "elk.spacing.edgeNode": "14",
        "elk.spacing.edgeLabel": "3",
        "elk.padding": "[top=24,left=24,bottom=24,right=24]",
        "elk.layered.nodePlacement.strategy": many ? "BRANDES_KOEPF" : "NETWORK_SIMPLEX",
        "elk.layered.nodePlacement.favorStraightEdges": "true",
        "elk.layered.thoroughness": many ? "1" : "5",
        "elk.edgeLabels.placement": "CENTER",
      }
    : {
        "elk.algorithm": "rectpacking",
        "elk.aspectRatio": "1.6",
        "elk.json.shapeCoords": "ROOT",
        "elk.spacing.nodeNode": "12",
        "elk.padding": "[top=24,left=24,bottom=24,right=24]",
      };
  const placed = await run(graph, options);
  const collect = (parent: ElkNode): void => {
    for (const child of parent.children ?? []) {
      const box = boxes.get(child.id)!;
      Object.assign(box, { x: child.x, y: child.y, width: child.width, height: child.height });
      collect(child);
    }
  };
  collect(placed);
  const lines: Line[] = (placed.edges ?? []).map((edge, at) => {
    const section = edge.sections?.[0];
    const text = edge.labels?.[0];
    return {
      id: edge.id,
      from: edges[at].from,
      to: edges[at].to,
      points: section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [],
      label: labels.get(edge.id)!,
      labelAt: text ? { x: text.x!, y: text.y!, width: text.width! } : null,
    };
  });
  return { boxes: [...boxes.values()], lines, width: placed.width!, height: placed.height! };
}

/** The parts of a drawing that fit on pages of paper, from top to bottom, each cut where no box is cut in two. */
export function slices(drawing: Drawing, room: number): { top: number; bottom: number }[] {
  const solid = drawing.boxes.filter((box) => !box.unfolded);
  const pages: { top: number; bottom: number }[] = [];
  let top = 0;
  while (drawing.height - top > room) {
    const cuts = solid.map((box) => box.y - 4).filter((y) => y > top + room / 2 && y <= top + room && solid.every((box) => y <= box.y || y >= box.y + box.height));
    const bottom = cuts.length ? Math.max(...cuts) : top + room;
    pages.push({ top, bottom });
    top = bottom;
  }
  return [...pages, { top, bottom: drawing.height }];
}
