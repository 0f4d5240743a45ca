import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Controls } from "./Controls";
import { Costs } from "./Costs";
import type { PageData } from "./data";
import { Details } from "./Details";
import { Evaluator } from "./formula";
import { Graph } from "./Graph";
import { Memory } from "./Memory";
import { Model, type Item } from "./model";
import { Changes, Notes } from "./Notes";
import { figure, shape } from "./numbers";
import { figureOf, StateContext, type Metric, type State, type View } from "./state";
import { Table } from "./Table";
import { Tree } from "./Tree";

const VIEWS: [View, string][] = [["graph", "Graph"], ["table", "Table"], ["costs", "Costs"], ["memory", "Memory"], ["notes", "Notes"]];
const THEMES = ["auto", "light", "dark"] as const;

/** Items whose path, class, operation or shapes contain what is searched for. */
function search(model: Model, evaluator: Evaluator, query: string): Set<string> | null {
  const words = query.toLowerCase().replaceAll("×", "x").split(/\s+/).filter(Boolean);
  if (!words.length) return null;
  const found = new Set<string>();
  for (const item of model.items.values()) {
    const module = model.module(item);
    const op = model.op(item);
    const shapes = module ? module.calls.flatMap((call) => [...call.inputs, ...(call.outputs ?? [])]) : (op?.outputs.map((name) => model.network.values[name]?.[0] ?? null) ?? []);
    const paths = item.modules.map((at) => model.network.modules[at].path).join(" ");
    const text = [paths, module?.qualified, item.title, op?.op, ...shapes.map((each) => shape(each, evaluator).replaceAll("×", "x"))].join(" ").toLowerCase();
    if (words.every((word) => text.includes(word))) found.add(item.id);
  }
  return found;
}

export function App({ data }: { data: PageData }) {
  const [shownNetwork, setShownNetwork] = useState(data.difference ? 1 : 0);
  const [view, setView] = useState<View>(data.difference ? "changes" : "graph");
  const [metric, setMetric] = useState<Metric>("none");
  const [query, setQuery] = useState("");
  const [theme, setTheme] = useState<(typeof THEMES)[number]>("auto");
  const [sizes, setSizes] = useState<Record<string, number>>({});
  const [decided, setDecided] = useState<Record<string, boolean>>({});
  const [selected, setSelected] = useState<Item | null>(null);
  const [wantedPath, setWantedPath] = useState<string | null>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const network = data.networks[shownNetwork];
  const isAfter = !data.difference || shownNetwork === 1;
  const model = useMemo(() => new Model(network, data.difference, isAfter), [network]);
  const [unfolded, setUnfolded] = useState<Set<string>>(() => model.initially());
  const own = useMemo(() => Object.fromEntries(Object.entries(network.sizes).map(([name, { value }]) => [name, sizes[name] ?? value])), [network, sizes]);
  const evaluator = useMemo(
    () => new Evaluator(network.formulas, Object.fromEntries(Object.entries(own).map(([name, value]) => [name, BigInt(value)])), decided),
    [network, own, decided],
  );
  const matches = useMemo(() => search(model, evaluator, query), [model, evaluator, query]);

  useEffect(() => {
    setUnfolded(model.initially());
    const item = wantedPath === null ? ([...model.faulty][0] ?? null) : (model.byPath.get(wantedPath) ?? null);
    setWantedPath(null);
    setSelected(item);
    if (item) reveal(item);
    document.title = `${network.name} · Cutaway`;
  }, [model]);

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  const reveal = (item: Item) => {
    const around = model.chain(item).filter((each) => model.canUnfold(each));
    setUnfolded((old) => (around.every((each) => old.has(each.id)) ? old : new Set([...old, ...around.map((each) => each.id)])));
  };
  const select = (item: Item | null, shouldReveal = false) => {
    setSelected(item);
    if (item && shouldReveal) reveal(item);
  };
  const toggle = (item: Item) =>
    setUnfolded((old) => {
      const next = new Set(old);
      if (next.has(item.id)) next.delete(item.id);
      else next.add(item.id);
      return next;
    });
  const showNetwork = (at: number, path?: string) => {
    if (at === shownNetwork) {
      const item = path === undefined ? null : model.byPath.get(path);
      if (item) {
        select(item, true);
        setView("graph");
      }
      return;
    }
    setWantedPath(path ?? null);
    setShownNetwork(at);
    if (path !== undefined) setView("graph");
  };
  const found = matches ? [...matches].map((id) => model.items.get(id)!).filter((item) => item.kind !== "chunk" && item.kind !== "call") : [];
  const step = (by: number) => {
    if (!found.length) return;
    const at = found.indexOf(selected as Item);
    select(found[(at + by + found.length) % found.length], true);
  };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).tagName === "INPUT";
      if (event.key === "Escape") {
        if (query) setQuery("");
        else setSelected(null);
        (document.activeElement as HTMLElement | null)?.blur();
      } else if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.key === "/") searchBox.current?.focus();
      else if (event.key === "f") document.querySelector<HTMLButtonElement>("[data-action=fit]")?.click();
      else if (/^[1-5]$/.test(event.key)) setView(VIEWS[Number(event.key) - 1][0]);
      else if (event.key === "u" && selected && model.canUnfold(selected)) toggle(selected);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const state: State = { data, shownNetwork, model, network, evaluator, selected, metric, unfolded, matches, showNetwork, select, setMetric, toggle, setUnfolded };
  const total = (name: "parameters" | "macs" | "weight_bytes" | "activation_bytes") => figureOf(model.root, name, model, evaluator);
  const totals = network.modules.length
    ? ([["Parameters", figure(total("parameters"), "count"), "parameters"], ["MACs", figure(total("macs"), "operations"), "macs"], ["Weights", figure(total("weight_bytes"), "memory"), "none"], ["Activations", figure(total("activation_bytes"), "memory"), "activation_bytes"]] as const)
    : ([["Operations", String(network.ops.length), "none"]] as const);
  const views = data.difference ? [["changes", "Changes"] as [View, string], ...VIEWS] : VIEWS;
  const turn = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const [next] = views[(views.findIndex(([name]) => name === view) + by + views.length) % views.length];
    setView(next);
    document.getElementById(`tab-${next}`)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  const problems = network.diagnostics.length + network.unknowns.length;

  return (
    <StateContext.Provider value={state}>
      <header>
        <div class="identity">
          <h1>{network.name}</h1>
          <span class="quiet" title={network.target}>{[network.target !== network.name ? network.target : "", network.framework].filter(Boolean).join(" · ")}</span>
        </div>
        {data.networks.length > 1 && (
          <div class="choice" role="group" aria-label="Network">
            {data.networks.length <= 4
              ? data.networks.map((each, at) => <button key={at} aria-pressed={at === shownNetwork} onClick={() => showNetwork(at)}>{data.difference ? ["Before", "After"][at] : each.name}</button>)
              : <select aria-label="Network" value={shownNetwork} onChange={(event) => showNetwork(Number(event.currentTarget.value))}>{data.networks.map((each, at) => <option key={at} value={at}>{each.name}</option>)}</select>}
          </div>
        )}
        <dl class="totals">
          {totals.map(([title, text, name]) => (
            <div key={title} class={metric === name && name !== "none" ? "shown" : ""}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <div class="search" role="search">
          <input
            ref={searchBox}
            type="search"
            placeholder="Search path, class, op, shape"
            aria-label="Search"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)}
          />
          {matches && <span class="quiet" role="status">{found.length} found</span>}
        </div>
        <button class="theme" title={`Colours: ${theme}`} aria-label={`Colours: ${theme}`} onClick={() => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length])}>{{ auto: "◐", light: "☀", dark: "☾" }[theme]}</button>
      </header>
      <Controls network={network} evaluator={evaluator} sizes={own} decided={decided} setSize={(name, value) => setSizes({ ...sizes, [name]: value })} decide={(text, holds) => {
        const next = { ...decided };
        if (holds === undefined) delete next[text];
        else next[text] = holds;
        setDecided(next);
      }} />
      {network.diagnostics.length > 0 && (
        <div class="banner" role="alert">
          <span class="sign">!</span> <b>{network.diagnostics[0].message}</b> <code>{network.diagnostics[0].code}</code>
          {network.diagnostics[0].place && <span class="place"> {network.diagnostics[0].place.filter(Boolean).join(":")}</span>}
          <button class="link" onClick={() => { select([...model.faulty][0], true); setView("graph"); }}>show</button>
        </div>
      )}
      <main>
        <nav aria-label="Modules"><Tree /></nav>
        <div class="centre">
          <div class="viewbar">
            <div role="tablist" aria-label="Views" onKeyDown={turn}>
              {views.map(([name, title]) => (
                <button key={name} id={`tab-${name}`} role="tab" aria-selected={view === name} aria-controls="view" tabIndex={view === name ? 0 : -1} onClick={() => setView(name)}>
                  {title}{name === "notes" && problems > 0 && <span class="count">{problems}</span>}
                </button>
              ))}
            </div>
            <label class="metric">
              Colour by
              <select value={metric} onChange={(event) => setMetric(event.currentTarget.value as Metric)}>
                <option value="none">kind</option>
                <option value="parameters">parameters</option>
                <option value="macs">MACs</option>
                <option value="activation_bytes">activations</option>
              </select>
            </label>
          </div>
          <div class="view" role="tabpanel" id="view" aria-labelledby={`tab-${view}`}>
            {view === "graph" && <Graph />}
            {view === "table" && <Table />}
            {view === "costs" && <Costs />}
            {view === "memory" && <Memory />}
            {view === "notes" && <Notes />}
            {view === "changes" && <Changes />}
          </div>
        </div>
        <Details />
      </main>
    </StateContext.Provider>
  );
}
