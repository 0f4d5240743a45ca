import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { family, times } from "./describe";
import type { Item } from "./model";
import { figure } from "./numbers";
import { figureOf, useShared, type Metric } from "./state";
import { squarify, type Rectangle } from "./treemap";

const METRICS: [Exclude<Metric, "none">, string, "count" | "operations" | "memory"][] = [
  ["parameters", "Parameters", "count"],
  ["macs", "MACs", "operations"],
  ["activation_bytes", "Activations", "memory"],
];

/** The stages of a network: what is in its root, or in the one part that has most of it. */
function stages(root: Item): Item[] {
  let at = root;
  for (;;) {
    if (at.parts.length === 1 && at.parts[0].parts.length > 1) at = at.parts[0];
    else return at.parts.length ? at.parts : at.children;
  }
}

/** Where the cost is: bars for the stages, and a map whose areas are in proportion. */
export function Costs() {
  const { model, evaluator, metric, select, selected } = useShared();
  const [shown, setShown] = useState<Exclude<Metric, "none">>(metric === "none" ? "parameters" : metric);
  useEffect(() => {
    if (metric !== "none") setShown(metric);
  }, [metric]);
  const unit = METRICS.find(([name]) => name === shown)![2];
  const parts = useMemo(() => stages(model.root).slice(0, 60), [model]);
  const wholes = METRICS.map(([name]) => Number(figureOf(model.root, name, model, evaluator).high) || 1);
  return (
    <div class="costs">
      <section>
        <h2>By stage</h2>
        <table class="stages">
          <thead><tr><th>Stage</th>{METRICS.map(([name, title]) => <th key={name}>{title}</th>)}</tr></thead>
          <tbody>
            {parts.map((item) => (
              <tr key={item.id} class={item === selected ? "selected" : ""} onClick={() => select(item)}>
                <td><span class="path">{item.label}</span> <span class="class">{item.title}</span> <b>{times(item)}</b></td>
                {METRICS.map(([name, , form], at) => {
                  const own = figureOf(item, name, model, evaluator);
                  return (
                    <td key={name}>
                      <span class="meter"><span class={`fill ${name}`} style={{ width: `${(Number(own.high) / wholes[at]) * 100}%` }} /></span>
                      <span class="amount">{figure(own, form)}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section class="map">
        <h2>
          Map
          <span class="choice" role="group" aria-label="Area by">
            {METRICS.map(([name, title]) => <button key={name} aria-pressed={shown === name} onClick={() => setShown(name)}>{title}</button>)}
          </span>
        </h2>
        <Treemap name={shown} unit={unit} />
      </section>
    </div>
  );
}

interface Tile extends Rectangle {
  item: Item;
  level: number;
  isLeaf: boolean;
}

function Treemap({ name, unit }: { name: Exclude<Metric, "none">; unit: "count" | "operations" | "memory" }) {
  const { model, evaluator, select, selected } = useShared();
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState({ width: 800, height: 380 });
  useEffect(() => {
    const element = frame.current!;
    const watch = new ResizeObserver(() => setRoom({ width: element.clientWidth, height: Math.max(300, element.clientHeight) }));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const tiles = useMemo(() => {
    const found: Tile[] = [];
    const fill = (item: Item, space: Rectangle, level: number): void => {
      const children = inside(item).filter((child) => Number(figureOf(child, name, model, evaluator).high) > 0);
      const canSplit = children.length > 0 && space.width > 46 && space.height > 34 && (children.length > 1 || children[0].kind !== "op");
      if (level > 0) found.push({ ...space, item, level, isLeaf: !canSplit });
      if (!canSplit) return;
      const head = level > 0 ? 17 : 0;
      const gap = level > 0 ? 2 : 0;
      const inner = { x: space.x + gap, y: space.y + head, width: space.width - 2 * gap, height: space.height - head - gap };
      squarify(children.map((child) => Number(figureOf(child, name, model, evaluator).high)), inner).forEach((each, at) => {
        if (each.width > 2 && each.height > 2) fill(children[at], each, level + 1);
      });
    };
    fill(model.root, { x: 0, y: 0, ...room }, 0);
    return found;
  }, [model, evaluator, name, room]);
  return (
    <div class="treemap" ref={frame}>
      {tiles.length === 0 && <p class="message">Nothing of this is known.</p>}
      <svg width={room.width} height={room.height} role="img" aria-label={`Map by ${name}`}>
        {tiles.map(({ item, x, y, width, height, level, isLeaf }) => (
          <g key={item.id} class={`tile family-${family(item)} level-${Math.min(level, 4)} ${isLeaf ? "leaf" : ""} ${item === selected ? "selected" : ""}`} onClick={(event) => { event.stopPropagation(); select(item); }}>
            <title>{`${model.path(item)} ${item.title} ${times(item)}\n${figure(figureOf(item, name, model, evaluator), unit)}`}</title>
            <rect x={x + 0.5} y={y + 0.5} width={Math.max(0, width - 1)} height={Math.max(0, height - 1)} rx="3" />
            {width > 44 && height > 15 && <text x={x + 5} y={y + 12.5}>{fitted([item.label, item.title, times(item)].filter(Boolean).join(" "), width - 8)}</text>}
            {isLeaf && width > 44 && height > 30 && <text class="quiet" x={x + 5} y={y + 25}>{fitted(figure(figureOf(item, name, model, evaluator), unit), width - 8)}</text>}
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The modules in an item, and the operations that are in none of them. */
function inside(item: Item): Item[] {
  const ops = (of: Item[]): Item[] => of.flatMap((child) => (child.kind === "op" ? [child] : child.kind === "chunk" ? ops(child.children) : []));
  return [...item.parts, ...ops(item.children)];
}

function fitted(text: string, width: number): string {
  const letters = Math.floor(width / 6);
  return text.length <= letters ? text : letters > 2 ? text.slice(0, letters - 1) + "…" : "";
}
