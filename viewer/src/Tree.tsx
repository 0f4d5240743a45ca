import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { times } from "./describe";
import type { Item, Model } from "./model";
import { figure } from "./numbers";
import { figureOf, useShared } from "./state";

export const ROW = 26;

/** Rows of a fixed height, of which only those in sight are drawn. */
export function useWindow(count: number, height: number) {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useEffect(() => {
    const element = frame.current!;
    const watch = new ResizeObserver(() => setRoom(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const start = Math.max(0, Math.floor(top / height) - 8);
  const stop = Math.min(count, Math.ceil((top + room) / height) + 8);
  const reveal = (at: number) => {
    const element = frame.current;
    if (!element) return;
    if (at * height < element.scrollTop) element.scrollTop = at * height;
    else if ((at + 1) * height > element.scrollTop + element.clientHeight) element.scrollTop = (at + 1) * height - element.clientHeight;
  };
  return { frame, start, stop, reveal, onScroll: (event: Event) => setTop((event.target as HTMLElement).scrollTop) };
}

export function isRow(item: Item): boolean {
  return item.kind === "module" || item.kind === "group";
}

export function treeRows(model: Model, closed: Set<string>, matches: Set<string> | null): { item: Item; level: number; canClose: boolean }[] {
  const rows: { item: Item; level: number; canClose: boolean }[] = [];
  const shown = new Map<Item, boolean>();
  const isShown = (item: Item): boolean => {
    let answer = shown.get(item);
    if (answer === undefined) {
      answer = matches === null || matches.has(item.id) || item.parts.some(isShown) || item.children.some((child) => child.kind !== "module" && isShown(child));
      shown.set(item, answer);
    }
    return answer;
  };
  const walk = (item: Item, level: number): void => {
    if (!isShown(item) && item !== model.root) return;
    const below = item.parts;
    rows.push({ item, level, canClose: below.length > 0 });
    if (matches === null && closed.has(item.id)) return;
    for (const child of below) walk(child, level + 1);
  };
  walk(model.root, 0);
  return rows;
}

/** The tree of modules, with a bar for what each takes of the whole. */
export function Tree() {
  const { model, evaluator, metric, selected, select, matches } = useShared();
  const [closed, setClosed] = useState<Set<string>>(new Set());
  useEffect(() => {
    const all = [...model.items.values()].filter(isRow);
    setClosed(new Set(all.length > 60 ? all.filter((item) => item.depth >= 2 && item.parts.length).map((item) => item.id) : []));
  }, [model]);
  useEffect(() => {
    if (!selected) return;
    const around: Item[] = [];
    for (let item = selected.above; item; item = item.above) if (closed.has(item.id)) around.push(item);
    if (around.length) setClosed(new Set([...closed].filter((id) => !around.some((item) => item.id === id))));
  }, [selected]);
  const rows = useMemo(() => treeRows(model, closed, matches), [model, closed, matches]);
  const current = selected && (isRow(selected) ? selected : rowAbove(selected));
  const at = rows.findIndex((row) => row.item === current);
  const { frame, start, stop, reveal, onScroll } = useWindow(rows.length, ROW);
  useEffect(() => {
    if (at >= 0) reveal(at);
  }, [at, selected]);
  const shownMetric = metric === "none" ? "parameters" : metric;
  const whole = Number(figureOf(model.root, shownMetric, model, evaluator).high) || 1;

  const close = (item: Item, isClosed: boolean) => {
    const next = new Set(closed);
    if (isClosed) next.add(item.id);
    else next.delete(item.id);
    setClosed(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const go = (next: number) => rows[next] && select(rows[next].item);
    if (event.key === "ArrowDown") go(at + 1);
    else if (event.key === "ArrowUp") go(Math.max(0, at - 1));
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(rows.length - 1);
    else if (event.key === "ArrowRight" && row) {
      if (closed.has(row.item.id)) close(row.item, false);
      else go(at + 1);
    } else if (event.key === "ArrowLeft" && row) {
      if (row.canClose && !closed.has(row.item.id)) close(row.item, true);
      else if (row.item.above) select(rowAbove(row.item) ?? model.root);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="tree" role="tree" aria-label="Modules" tabIndex={0} ref={frame} onScroll={onScroll} onKeyDown={onKeyDown} aria-activedescendant={current ? `row-${current.id}` : undefined}>
      <div style={{ height: `${rows.length * ROW}px`, position: "relative" }}>
        {rows.slice(start, stop).map(({ item, level, canClose }, offset) => {
          const module = model.module(item);
          const own = figureOf(item, shownMetric, model, evaluator);
          const status = model.status(item);
          const isAbsent = model.present(item, evaluator) === false;
          const isUncalled = module !== undefined && model.wasCalled && !model.called.has(module.path);
          const classes = ["row", item === current ? "selected" : "", isAbsent || isUncalled ? "absent" : "", status ? `change-${status.kind}` : "", model.faulty.has(item) ? "faulty" : ""];
          return (
            <div
              key={item.id}
              id={`row-${item.id}`}
              class={classes.join(" ")}
              role="treeitem"
              aria-level={level + 1}
              aria-selected={item === current}
              aria-expanded={canClose ? !closed.has(item.id) : undefined}
              style={{ top: `${(start + offset) * ROW}px`, paddingLeft: `${6 + level * 13}px` }}
              onClick={() => select(item)}
            >
              <span class="twist" onClick={(event) => { event.stopPropagation(); close(item, !closed.has(item.id)); }}>
                {canClose ? (closed.has(item.id) ? "▸" : "▾") : ""}
              </span>
              <span class="name" title={`${item.label} ${item.title}`.trim()}>
                {level > 0 && <span class="path">{item.label}</span>} <span class="class">{item.title}</span> {times(item) && <b>{times(item)}</b>}
              </span>
              <span class="share" title={figure(own, shownMetric === "macs" ? "operations" : shownMetric === "parameters" ? "count" : "memory")}>
                <span class="bar" style={{ width: `${Math.min(100, (Number(own.high) / whole) * 100)}%` }} />
              </span>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function rowAbove(item: Item): Item | null {
  for (let at = item.above; at; at = at.above) if (isRow(at)) return at;
  return null;
}
