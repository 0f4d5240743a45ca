import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Box, Drawing, Line } from "./layout";
import { layOut, slices } from "./layout";
import { FAMILY_NAMES } from "./describe";
import { figure, formulaShape } from "./numbers";
import { figureOf, useShared } from "./state";
import type { Item } from "./model";

interface Transform {
  x: number;
  y: number;
  scale: number;
}

/** What fits on a page of A4 or Letter, in pixels, with the head of the page above it. */
const PAPER = { width: 680, height: 820 };

const ICONS = { fault: "!", unfold: "+", fold: "–" };

/** The graph of what is unfolded: boxes in boxes, lines with the shapes that flow along them. */
export function Graph() {
  const { model, evaluator, unfolded, selected, select, toggle, setUnfolded, matches } = useShared();
  const [latest, setLatest] = useState<{ of: object; model: unknown; drawing: Drawing } | null>(null);
  const [error, setError] = useState("");
  const [across, setAcross] = useState(false);
  const [transform, setTransform] = useState<Transform>({ x: 0, y: 0, scale: 1 });
  const frame = useRef<HTMLDivElement>(null);
  const drawnFor = useRef<unknown>(null);
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);

  const wanted = useMemo(() => ({}), [model, unfolded, evaluator, across]);
  const drawing = latest?.model === model ? latest.drawing : null;
  useEffect(() => {
    let isCurrent = true;
    layOut(model, unfolded, evaluator, across).then(
      (result) => {
        if (!isCurrent) return;
        setError("");
        setLatest({ of: wanted, model, drawing: result });
      },
      (problem: Error) => isCurrent && setError(problem.message),
    );
    return () => {
      isCurrent = false;
    };
  }, [wanted]);

  const fit = (whole = false) => {
    const room = frame.current?.getBoundingClientRect();
    if (!drawing || !room || !room.width) return;
    const all = Math.min(room.width / drawing.width, room.height / drawing.height);
    // A long network is readable from its beginning rather than small as a whole.
    const scale = Math.min(1.1, whole ? all : Math.max(all, Math.min(0.86, room.width / drawing.width)));
    setTransform({ x: Math.max((room.width - drawing.width * scale) / 2, whole ? 0 : Math.min(0, room.width - drawing.width * scale)), y: Math.max((room.height - drawing.height * scale) / 2, 0), scale });
  };

  useLayoutEffect(() => {
    if (!drawing) return;
    const key = `${model.network.target}/${across}`;
    if (drawnFor.current !== key) {
      drawnFor.current = key;
      fit();
    }
  }, [drawing]);

  const box = useMemo(() => new Map(drawing?.boxes.map((each) => [each.item.id, each])), [drawing]);
  const visible = selected ? nearest(selected, box) : undefined;

  useEffect(() => {
    const room = frame.current?.getBoundingClientRect();
    const at = visible && box.get(visible);
    if (!at || !room) return;
    const [left, top] = [at.x * transform.scale + transform.x, at.y * transform.scale + transform.y];
    const isInside = left > 0 && top > 0 && left < room.width - 60 && top < room.height - 40;
    if (!isInside) setTransform((old) => ({ ...old, x: room.width / 2 - (at.x + at.width / 2) * old.scale, y: room.height * (at.item === [...model.faulty][0] ? 0.75 : 0.33) - at.y * old.scale }));
  }, [visible, drawing]);

  const zoom = (factor: number, x?: number, y?: number) => {
    const room = frame.current!.getBoundingClientRect();
    const [cx, cy] = [x ?? room.width / 2, y ?? room.height / 2];
    setTransform((old) => {
      const scale = Math.min(3, Math.max(0.03, old.scale * factor));
      const ratio = scale / old.scale;
      return { scale, x: cx - (cx - old.x) * ratio, y: cy - (cy - old.y) * ratio };
    });
  };

  useEffect(() => {
    const element = frame.current!;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const room = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 200), event.clientX - room.left, event.clientY - room.top);
      else setTransform((old) => ({ ...old, x: old.x - event.deltaX, y: old.y - event.deltaY }));
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);

  useEffect(() => {
    // Paper has no window to look through: the drawing is printed on as many pages as it needs.
    const media = matchMedia("print");
    const sheets = document.createElement("div");
    sheets.className = "paper";
    const prepare = () => {
      sheets.replaceChildren();
      const picture = frame.current?.querySelector("svg");
      if (!media.matches || !picture || !drawing) return sheets.remove();
      const scale = Math.min(1, PAPER.width / drawing.width);
      for (const { top, bottom } of slices(drawing, PAPER.height / scale)) {
        const page = picture.cloneNode(true) as SVGElement;
        const size = { viewBox: `0 ${top} ${drawing.width} ${bottom - top}`, width: drawing.width * scale, height: (bottom - top) * scale };
        for (const [name, value] of Object.entries(size)) page.setAttribute(name, String(value));
        sheets.append(page);
      }
      frame.current!.after(sheets);
    };
    media.addEventListener("change", prepare);
    return () => {
      media.removeEventListener("change", prepare);
      sheets.remove();
    };
  }, [drawing]);

  const all = () => setUnfolded(new Set([...model.items.values()].filter((item) => model.canUnfold(item) && item.kind !== "chunk").map((item) => item.id)));
  return (
    <div class="graph">
      <div
        class="canvas"
        ref={frame}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          drag.current = { x: event.clientX, y: event.clientY, moved: false };
        }}
        onPointerMove={(event) => {
          const from = drag.current;
          if (!from) return;
          const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
          if (!from.moved && Math.abs(dx) + Math.abs(dy) < 4) return;
          if (!from.moved) frame.current!.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, moved: true };
          setTransform((old) => ({ ...old, x: old.x + dx, y: old.y + dy }));
        }}
        onPointerUp={() => (drag.current = null)}
      >
        {error && <p class="message">The graph can't be laid out here: {error}</p>}
        {!drawing && !error && <p class="message">Laying out…</p>}
        {drawing && (
          <svg role="group" aria-label="Graph of the network" width="100%" height="100%" aria-busy={latest?.of !== wanted} data-ready={drawing.boxes.length} onClick={(event) => event.target === event.currentTarget && select(null)}>
            <defs>
              <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
                <path d="M0,0.5 L7.5,4 L0,7.5 z" class="head" />
              </marker>
            </defs>
            <g class="scene" transform={`translate(${transform.x},${transform.y}) scale(${transform.scale})`}>
              {drawing.boxes.filter((each) => each.unfolded).map((each) => (
                <Node key={each.item.id} box={each} isSelected={visible === each.item.id} select={select} toggle={toggle} isFaint={false} />
              ))}
              {drawing.lines.map((line) => (
                <Flow key={line.id} line={line} isNear={!!selected && (line.from === selected || line.to === selected)} />
              ))}
              {drawing.boxes.filter((each) => !each.unfolded).map((each) => (
                <Node key={each.item.id} box={each} isSelected={visible === each.item.id} select={select} toggle={toggle} isFaint={matches !== null && !matchesBelow(each.item, matches)} />
              ))}
            </g>
          </svg>
        )}
      </div>
      <div class="tools" role="toolbar" aria-label="Graph">
        <button onClick={() => zoom(1.25)} title="Zoom in" aria-label="Zoom in">+</button>
        <button onClick={() => zoom(0.8)} title="Zoom out" aria-label="Zoom out">–</button>
        <button onClick={() => fit(true)} title="Show the whole graph (f)" data-action="fit">Fit</button>
        <button onClick={() => setAcross(!across)} title={across ? "Lay out from top to bottom" : "Lay out from left to right"} aria-label={across ? "Lay out from top to bottom" : "Lay out from left to right"}>{across ? "↓" : "→"}</button>
        <button onClick={all} title="Unfold everything">Unfold all</button>
        <button onClick={() => setUnfolded(new Set())} title="Fold everything">Fold all</button>
        {drawing && <Legend boxes={drawing.boxes} />}
      </div>
    </div>
  );
}

/** What the colours mean, of those that are drawn. */
function Legend({ boxes }: { boxes: Box[] }) {
  const { metric } = useShared();
  const families = new Set(boxes.filter((each) => each.item.kind === "module" || each.item.kind === "call").map((each) => each.family));
  families.delete("other");
  if (metric !== "none") return <span class="legend quiet">the darker, the larger</span>;
  return (
    <ul class="legend" aria-label="Colours">
      {FAMILY_NAMES.filter((name) => families.has(name)).map((name) => (
        <li key={name} class={`family-${name}`}><span class="swatch" />{name}</li>
      ))}
    </ul>
  );
}

function matchesBelow(item: Item, matches: Set<string>): boolean {
  return matches.has(item.id) || item.children.some((child) => matchesBelow(child, matches));
}

/** The item that is drawn for one that may be inside of something folded. */
function nearest(item: Item, box: Map<string, Box>): string | undefined {
  for (let at: Item | null = item; at; at = at.parent) {
    if (box.has(at.id)) return at.id;
    if (at.calls && box.has(at.calls[0].id)) return at.calls[0].id;
  }
  return undefined;
}

function Flow({ line, isNear }: { line: Line; isNear: boolean }) {
  if (line.points.length < 2) return null;
  const path = rounded(line.points);
  return (
    <g class={isNear ? "flow near" : "flow"}>
      <path d={path} marker-end="url(#arrow)" />
      {line.labelAt && (
        <text x={line.labelAt.x + line.labelAt.width / 2} y={line.labelAt.y + 10.5} text-anchor="middle">
          {line.label}
        </text>
      )}
    </g>
  );
}

function rounded(points: { x: number; y: number }[]): string {
  let path = `M${points[0].x},${points[0].y}`;
  for (let at = 1; at < points.length; at++) {
    const [before, here, after] = [points[at - 1], points[at], points[at + 1]];
    if (!after) {
      path += `L${here.x},${here.y}`;
      break;
    }
    const reach = (other: { x: number; y: number }) => {
      const length = Math.hypot(other.x - here.x, other.y - here.y) || 1;
      const radius = Math.min(6, length / 2);
      return { x: here.x + ((other.x - here.x) / length) * radius, y: here.y + ((other.y - here.y) / length) * radius };
    };
    const [start, end] = [reach(before), reach(after)];
    path += `L${start.x},${start.y}Q${here.x},${here.y} ${end.x},${end.y}`;
  }
  return path;
}

interface NodeProps {
  box: Box;
  isSelected: boolean;
  isFaint: boolean;
  select: (item: Item | null) => void;
  toggle: (item: Item) => void;
}

function Node({ box, isSelected, isFaint, select, toggle }: NodeProps) {
  const { model, evaluator, metric, network } = useShared();
  const { item } = box;
  const module = model.module(item);
  const status = model.status(item);
  const canUnfold = model.canUnfold(item);
  const isFaulty = model.faulty.has(item.of ?? item) || (!box.unfolded && model.faultBelow(item));
  const isOpen = item.condition !== undefined && evaluator.holds(network.presence[item.condition]) === undefined;
  const isUncalled = module !== undefined && model.wasCalled && !model.called.has(module.path);
  let heat = 0;
  let cost = "";
  if (metric !== "none" && item.kind !== "input" && item.kind !== "output") {
    const most = Number(figureOf(model.root, metric, model, evaluator).high) || 1;
    const own = figureOf(item, metric, model, evaluator);
    heat = Math.sqrt(Number(own.high) / most);
    cost = figure(own, metric === "macs" ? "operations" : metric === "parameters" ? "count" : "memory");
  }
  const classes = ["node", item.kind, `family-${box.family}`];
  if (box.unfolded) classes.push("open", model.chain(item).length % 2 ? "odd" : "even");
  if (isSelected) classes.push("selected");
  if (isFaint) classes.push("faint");
  if (isFaulty) classes.push("faulty");
  if (isOpen) classes.push("conditional");
  if (isUncalled) classes.push("uncalled");
  if (status) classes.push(`change-${status.kind}`);
  else if (!box.unfolded && model.changedBelow(item)) classes.push("change-below");
  const value = item.kind === "input" || item.kind === "output" ? network[item.kind === "input" ? "inputs" : "outputs"][item.value!] : null;
  const isCentred = !canUnfold && !box.subtitle && item.condition === undefined && !module;
  const tip = value ? formulaShape(value.shape) : `${model.path(item)}${module ? `: ${module.qualified}` : ""}${cost ? `\n${cost}` : ""}${isUncalled ? "\nnot called" : ""}`;
  return (
    <g
      class={classes.join(" ")}
      transform={`translate(${box.x},${box.y})`}
      role="button"
      tabIndex={0}
      aria-label={[box.title, box.times, box.subtitle, item.condition === undefined ? "" : `if ${item.condition}`].filter(Boolean).join(" ")}
      aria-expanded={canUnfold ? box.unfolded : undefined}
      data-item={item.id}
      data-path={model.path(item)}
      onClick={(event) => {
        event.stopPropagation();
        select(item);
      }}
      onDblClick={() => canUnfold && toggle(item)}
      onKeyDown={(event) => {
        if (event.key === "Enter") (canUnfold && isSelected ? toggle : select)(item);
        else if (event.key === " " && canUnfold) toggle(item);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <title aria-hidden="true">{tip}</title>
      {item.count > 1 && !box.unfolded && <rect class="behind" x="4" y="-4" width={box.width} height={box.height} rx="7" />}
      <rect class="box" width={box.width} height={box.height} rx="7" />
      {metric !== "none" && !box.unfolded && <rect class="heat" width={box.width} height={box.height} rx="7" fill-opacity={heat * 0.75} />}
      {!box.unfolded && <rect class="accent" x="0" y="6" width="4" height={box.height - 12} rx="2" />}
      <text class="title" x={isCentred ? box.width / 2 : 14} text-anchor={isCentred ? "middle" : undefined} y="19.5">
        {box.title}
        {box.times && <tspan class="times" dx="7">{box.times}</tspan>}
      </text>
      {" "}
      {box.subtitle && <text class="subtitle" x="14" y="34">{box.subtitle}</text>}
      {" "}
      {item.condition !== undefined && <text class="condition" x="14" y={box.subtitle ? 49 : 34}>{`if ${item.condition}`}</text>}
      {canUnfold && (
        <g class="fold" transform={`translate(${box.width - 22},8)`} onClick={(event) => { event.stopPropagation(); toggle(item); }}>
          <title aria-hidden="true">{box.unfolded ? "Fold" : "Unfold"}</title>
          <rect width="15" height="15" rx="4" />
          <text x="7.5" y="11.5" text-anchor="middle">{box.unfolded ? ICONS.fold : ICONS.unfold}</text>
        </g>
      )}
      {isFaulty && (
        <g class="mark" transform={`translate(${box.width - 4},-4)`}>
          <circle r="9" />
          <text y="4" text-anchor="middle">{ICONS.fault}</text>
        </g>
      )}
    </g>
  );
}
