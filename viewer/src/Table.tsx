import { useEffect, useMemo, useState } from "preact/hooks";
import { brief, times } from "./describe";
import type { Item } from "./model";
import { figure, shape } from "./numbers";
import { figureOf, useShared } from "./state";
import { ROW, treeRows, useWindow } from "./Tree";

type Column = "name" | "settings" | "output" | "parameters" | "share" | "macs" | "activation_bytes";

const COLUMNS: [Column, string][] = [
  ["name", "Module"],
  ["settings", "Settings"],
  ["output", "Output"],
  ["parameters", "Params"],
  ["share", "%"],
  ["macs", "MACs"],
  ["activation_bytes", "Activations"],
];

/** Modules, or operations in their order, with their figures; a click on a heading sorts. */
export function Table() {
  const { model, evaluator, network, selected, select, matches } = useShared();
  const [isOps, setIsOps] = useState(network.modules.length <= 1 && network.ops.length > 0);
  const [sort, setSort] = useState<{ by: Column; falling: boolean } | null>(null);
  const items = useMemo(() => {
    const found = isOps
      ? [...model.items.values()].filter((item) => item.kind === "op" && (matches === null || matches.has(item.id)))
      : treeRows(model, new Set(), matches).map((row) => row.item);
    if (!sort) return found;
    const key = (item: Item): number | string => {
      if (sort.by === "name") return item.title;
      if (sort.by === "output") return outputOf(item);
      if (sort.by === "settings") return settingsOf(item);
      return Number(figureOf(item, sort.by === "share" ? "parameters" : sort.by, model, evaluator).high);
    };
    const keys = new Map(found.map((item) => [item, key(item)]));
    return found.sort((a, b) => {
      const [left, right] = [keys.get(a)!, keys.get(b)!];
      return (left < right ? -1 : left > right ? 1 : 0) * (sort.falling ? -1 : 1);
    });
  }, [model, evaluator, isOps, sort, matches]);
  const whole = Number(figureOf(model.root, "parameters", model, evaluator).high) || 1;

  function outputOf(item: Item): string {
    const module = model.module(item);
    const op = model.op(item);
    const shapes = module ? (module.calls.length ? module.calls[0].outputs : undefined) : op?.outputs.map((name) => network.values[name]?.[0] ?? null);
    if (shapes === null) return "did not return";
    if (shapes === undefined) return module && model.wasCalled && !model.called.has(module.path) ? "not called" : "";
    return shapes.slice(0, 3).map((each) => shape(each, evaluator)).join(", ") + (shapes.length > 3 ? ` +${shapes.length - 3}` : "");
  }
  function settingsOf(item: Item): string {
    return brief(model.module(item)?.config ?? model.op(item)?.attributes ?? {}, item.title);
  }

  const at = items.indexOf(selected as Item);
  const { frame, start, stop, reveal, onScroll } = useWindow(items.length, ROW);
  useEffect(() => {
    if (at >= 0) reveal(at);
  }, [at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = event.key === "ArrowDown" ? at + 1 : event.key === "ArrowUp" ? at - 1 : -1;
    if (next < 0 || !items[next]) return;
    select(items[next]);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="table">
      <div class="tools" role="toolbar" aria-label="Table">
        <button aria-pressed={!isOps} onClick={() => setIsOps(false)}>Modules</button>
        <button aria-pressed={isOps} onClick={() => setIsOps(true)} disabled={!network.ops.length}>Operations</button>
        {sort && <button onClick={() => setSort(null)}>Original order</button>}
        <span class="quiet">{items.length.toLocaleString("en")} rows</span>
      </div>
      <div class="grid" role="grid" aria-label={isOps ? "Operations" : "Modules"} aria-rowcount={items.length + 1}>
      <div class="cells head" role="row">
        {COLUMNS.map(([by, title]) => (
          <span key={by} role="columnheader" class={by} aria-sort={sort?.by === by ? (sort.falling ? "descending" : "ascending") : "none"}>
            <button onClick={() => setSort({ by, falling: sort?.by === by ? !sort.falling : by !== "name" })}>
              {isOps && by === "name" ? "Operation" : title}
              {sort?.by === by ? (sort.falling ? " ↓" : " ↑") : ""}
            </button>
          </span>
        ))}
      </div>
      <div class="rows" role="rowgroup" tabIndex={0} ref={frame} onScroll={onScroll} onKeyDown={onKeyDown}>
        <div style={{ height: `${items.length * ROW}px`, position: "relative" }}>
          {items.slice(start, stop).map((item, offset) => {
            const parameters = figureOf(item, "parameters", model, evaluator);
            const part = (Number(parameters.high) / whole) * 100;
            const status = model.status(item);
            return (
              <div key={item.id} role="row" aria-rowindex={start + offset + 2} class={`cells ${item === selected ? "selected" : ""} ${status ? `change-${status.kind}` : ""} ${model.faulty.has(item) ? "faulty" : ""}`} aria-selected={item === selected} style={{ top: `${(start + offset) * ROW}px` }} onClick={() => select(item)}>
                <span class="name" role="gridcell" title={`${model.path(item)} ${item.title}`.trim()} style={{ paddingLeft: `${sort || isOps ? 0 : item.depth * 12}px` }}>
                  {isOps ? <><span class="class">{item.title}</span> <span class="path">{model.path(item)}</span></> : <><span class="path">{item.depth ? (sort ? model.path(item) : item.label) : ""}</span> <span class="class">{item.title}</span></>} <b>{times(item)}</b>
                </span>
                <span class="settings" role="gridcell" title={settingsOf(item)}>{settingsOf(item)}</span>
                <span class="output" role="gridcell" title={outputOf(item)}>{outputOf(item)}</span>
                <span class="parameters" role="gridcell">{figure(parameters, "count")}</span>
                <span class="share" role="gridcell">{part >= 0.05 ? part.toFixed(1) : ""}</span>
                <span class="macs" role="gridcell">{figure(figureOf(item, "macs", model, evaluator), "operations")}</span>
                <span class="activation_bytes" role="gridcell">{figure(figureOf(item, "activation_bytes", model, evaluator), "memory")}</span>
              </div>
            );
          })}
        </div>
      </div>
      </div>
    </div>
  );
}
