import type { ComponentChildren } from "preact";
import type { FigureName, Place, Shape } from "./data";
import { FIGURES } from "./data";
import { times } from "./describe";
import type { Item } from "./model";
import { figure, formulaShape, grouped, isSymbolic, memory, shape, type Unit } from "./numbers";
import { figureOf, tensorBytes, useShared } from "./state";

const NAMES: Record<FigureName, [string, Unit]> = {
  parameters: ["Parameters", "count"],
  trainable_parameters: ["Trainable", "count"],
  buffers: ["Buffers", "count"],
  weight_bytes: ["Weight memory", "memory"],
  macs: ["MACs", "operations"],
  activation_bytes: ["Activations", "memory"],
};

/** Everything that is known of the selection. */
export function Details() {
  const { selected, model } = useShared();
  const item = selected?.of ?? selected ?? model.root;
  return (
    <aside class="details" aria-label="Details" tabIndex={0} data-path={model.path(item)}>
      {item.op !== undefined ? <Operation item={item} at={item.op} /> : item.value !== undefined ? <Terminal item={item} /> : <Part item={item} />}
    </aside>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A formula, which a line break may follow an operator of. */
function Formula({ text }: { text: string }) {
  return <span class="formula">{text.split(/(?<=\*(?!\*)|[+,] )/).map((part, at) => [at > 0 && <wbr key={at} />, part])}</span>;
}

/** A shape at the sizes that are set, with its formula where it has one. */
function Sizes({ of, dtype }: { of: Shape; dtype?: string | null }) {
  const { evaluator } = useShared();
  return (
    <span class="shape">
      {shape(of, evaluator)} {dtype && <span class="quiet">{dtype}</span>}
      {isSymbolic(of) && <Formula text={formulaShape(of)} />}
    </span>
  );
}

function Terminal({ item }: { item: Item }) {
  const { network } = useShared();
  const value = network[item.kind === "input" ? "inputs" : "outputs"][item.value!];
  return (
    <>
      <h2>{item.kind === "input" ? "Input" : "Output"} <span class="class">{value.name}</span></h2>
      <Sizes of={value.shape} dtype={value.dtype} />
    </>
  );
}

function Part({ item }: { item: Item }) {
  const { model, evaluator, network, select, toggle, unfolded } = useShared();
  const module = model.module(item);
  const isRoot = item === model.root;
  const status = model.status(item);
  const paths = new Set(item.modules.map((at) => network.modules[at].path));
  const weights = module ? network.weights.filter((weight) => weight.module === module.path) : isRoot ? network.weights.filter((weight) => !weight.module) : [];
  const notes = network.unknowns.filter((note) => (isRoot ? !note.module : note.module != null && paths.has(note.module)));
  const assumptions = isRoot ? network.assumptions : network.assumptions.filter((note) => note.module && paths.has(note.module));
  const faults = model.faulty.has(item) || isRoot ? network.diagnostics : [];
  return (
    <>
      <h2>
        <span class="class">{module?.class ?? item.title}</span> {times(item) && <b>{times(item)}</b>}
        {model.canUnfold(item) && <button class="link" onClick={() => toggle(item)}>{unfolded.has(item.id) ? "fold" : "unfold"}</button>}
      </h2>
      <p class="where">{model.path(item)}{item.modules.length > 1 && ` and ${item.modules.length - 1} more`}</p>
      {module && module.qualified !== module.class && <p class="quiet where">{module.qualified.split(/(?<=\.)/).map((part, at) => [at > 0 && <wbr key={at} />, part])}</p>}
      {item.condition !== undefined && <p class="badge conditional">only if {item.condition}</p>}
      {status && (
        <Section title={status.kind[0].toUpperCase() + status.kind.slice(1)}>
          <ul class={`changes change-${status.kind}`}>{status.details.map((text) => <li key={text}>{text.replaceAll(" -> ", " → ")}</li>)}</ul>
        </Section>
      )}
      {faults.map((fault) => (
        <div class="fault" key={fault.message} role="alert">
          <b>{fault.message}</b> <code>{fault.code}</code>
          <Source place={fault.place} />
          {fault.notes.map((note) => <p key={note.text}>{note.text}{note.place && <Where place={note.place} />}</p>)}
        </div>
      ))}
      {module?.complete === false && <p class="badge unknown">Not all of its construction could be followed: parts of it may be missing.</p>}
      {notes.length > 0 && (
        <Section title="Unknown">
          {notes.map((note) => <p key={note.text} class="unknown">{note.text}{note.place && <Where place={note.place} />}</p>)}
        </Section>
      )}
      <Section title={item.modules.length > 1 ? `Figures of all ${item.modules.length}` : "Figures"}>
        <dl class="figures">
          {FIGURES.map((name) => {
            const own = figureOf(item, name, model, evaluator);
            const [title, unit] = NAMES[name];
            const formula = item.modules.length === 1 || isRoot ? (module?.cost[FIGURES.indexOf(name)] ?? network.totals[name])[0] : null;
            return (
              <div key={name}>
                <dt>{title}</dt>
                <dd title={own.low === own.high ? `${grouped(own.low)}${unit === "memory" ? " bytes" : ""}` : undefined}>
                  {figure(own, unit)}
                  {typeof formula === "string" && <Formula text={formula + (unit === "memory" ? " bytes" : "")} />}
                </dd>
              </div>
            );
          })}
        </dl>
        {module?.tied && <p class="quiet">Some of its weights are tied to others, and count once in the total.</p>}
      </Section>
      {module && module.calls.length > 0 && (
        <Section title={module.calls.length > 1 ? `Calls (${module.calls.length})` : "Call"}>
          {module.calls.slice(0, 6).map((call, at) => (
            <div class="call" key={at}>
              {call.condition !== undefined && <p class="badge conditional">if {call.condition}</p>}
              <div><span class="side">in</span>{call.inputs.map((each, number) => <Sizes key={number} of={each} />)}</div>
              <div><span class="side">out</span>{call.outputs === null ? <span class="unknown">did not return</span> : call.outputs.map((each, number) => <Sizes key={number} of={each} dtype={call.dtypes[number]} />)}</div>
            </div>
          ))}
        </Section>
      )}
      {module && !isRoot && module.calls.length === 0 && model.wasCalled && !model.called.has(module.path) && <p class="badge">not called in this forward pass</p>}
      {module && !isRoot && item.kind === "module" && item.first === Infinity && module.calls.length > 0 && network.ops.length > 0 && <p class="badge">computes nothing in this forward pass, so the graph leaves it out</p>}
      {module && <Settings of={module.config} origins={module.origins} title="Configuration" />}
      {weights.length > 0 && (
        <Section title={`Weights (${weights.length})`}>
          <table class="plain">
            <tbody>
              {weights.slice(0, 100).map((weight) => (
                <tr key={weight.name}>
                  <td title={weight.name}>{weight.name.slice(weight.module ? weight.module.length + 1 : 0) || weight.name}</td>
                  <td><Sizes of={weight.shape} dtype={weight.dtype} /></td>
                  <td class="quiet">{weight.tied ? `tied to ${weight.tied}` : weight.kind === "buffer" ? "buffer" : weight.trainable === false ? "frozen" : ""}{weight.condition !== undefined && ` if ${weight.condition}`}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      {assumptions.length > 0 && (
        <Section title="Assumed">
          <ul class="list">{assumptions.map((note) => <li key={note.text}>{note.text}{note.place && <Where place={note.place} />}</li>)}</ul>
        </Section>
      )}
      {item.kind === "chunk" && <p class="quiet">A part of a long list, drawn together to keep the graph small.</p>}
      {item.children.some((child) => child.kind === "op") && (
        <Section title="Operations">
          <p class="ops">
            {item.children.filter((child) => child.kind === "op").slice(0, 40).map((child) => <button class="link" key={child.id} onClick={() => select(child)}>{child.title}</button>)}
          </p>
        </Section>
      )}
      {!faults.length && <SourceSection place={module?.source ?? null} />}
    </>
  );
}

function Operation({ item, at }: { item: Item; at: number }) {
  const { network, evaluator, model } = useShared();
  const op = network.ops[at];
  const value = (name: string) => network.values[name] ?? [null, null];
  return (
    <>
      <h2><span class="class">{item.title}</span> {times(item) && <b>{times(item)}</b>}</h2>
      <p class="where">{op.op}</p>
      <p class="quiet where">in {model.path(item)}, operation {at + 1} of {network.ops.length}</p>
      {op.condition !== undefined && <p class="badge conditional">only if {op.condition}</p>}
      <Section title="Inputs">
        <table class="plain"><tbody>
          {op.inputs.map((name, number) => <tr key={number}><td>{model.producer.has(name) ? shortName(network.ops[model.producer.get(name)!].op) : name}</td><td><Sizes of={value(name)[0]} dtype={value(name)[1]} /></td></tr>)}
        </tbody></table>
      </Section>
      <Section title="Outputs">
        {op.outputs.map((name) => {
          const bytes = tensorBytes(network, name, evaluator);
          return <div key={name}><Sizes of={value(name)[0]} dtype={value(name)[1]} /> <span class="quiet">{op.allocates ? (bytes === null ? "" : memory(bytes)) : "no memory of its own"}</span></div>;
        })}
      </Section>
      <Section title="Figures">
        <dl class="figures"><div><dt>MACs</dt><dd>{figure(figureOf(item, "macs", model, evaluator), "operations")}{typeof op.macs === "string" && <Formula text={op.macs} />}</dd></div></dl>
      </Section>
      <Settings of={op.attributes} origins={{}} title="Attributes" />
      <SourceSection place={op.source ?? null} />
    </>
  );
}

function shortName(op: string): string {
  return `result of ${op.slice(op.lastIndexOf(".") + 1)}`;
}

function written(value: unknown): string {
  if (value && typeof value === "object" && !Array.isArray(value)) {
    const record = value as Record<string, unknown>;
    if ("symbolic" in record) return String(record.symbolic);
    if ("unknown" in record) return `unknown: ${record.unknown}`;
    if ("if" in record) return `${written(record.then)} if ${record.if} else ${written(record.else)}`;
    if ("name" in record && Object.keys(record).length === 1) return String(record.name);
  }
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A list of objects, such as the modules of a `Sequential`, which are parts of their own. */
function listsObjects(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string" && /^<(?!tensor ).*>$/.test(each));
}

/** The fields of a configuration object, or of a dict, where a value has any: in a line of its own each. */
function fields(value: unknown): [string, unknown][] {
  if (!value || typeof value !== "object" || Array.isArray(value)) return [];
  const forms = ["symbolic", "unknown", "if", "name", "float", "partial"];
  if (forms.some((form) => form in value)) return [];
  return Object.entries(value).filter(([name]) => name !== "dataclass");
}

/** A value of a configuration; one with fields unfolds. */
function Setting({ value }: { value: unknown }) {
  const parts = fields(value);
  if (!parts.length) return <>{written(value)}</>;
  const kind = (value as Record<string, unknown>).dataclass;
  return (
    <details>
      <summary>{typeof kind === "string" ? kind.slice(kind.lastIndexOf(".") + 1) : "{…}"} <span class="quiet">{parts.length} {parts.length === 1 ? "field" : "fields"}</span></summary>
      <dl>
        {parts.map(([name, part]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd><Setting value={part} /></dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Settings({ of, origins, title }: { of: Record<string, unknown>; origins: Record<string, string>; title: string }) {
  const entries = Object.entries(of).filter(([, value]) => !listsObjects(value));
  if (!entries.length) return null;
  return (
    <Section title={title}>
      <table class="plain settings">
        <tbody>
          {entries.map(([name, value]) => (
            <tr key={name} class={origins[name] === "default" ? "quiet" : ""}>
              <td>{name}</td>
              <td colSpan={fields(value).length ? 2 : 1}><Setting value={value} /></td>
              {!fields(value).length && <td class="quiet">{["default", "literal", "derived", undefined].includes(origins[name]) ? (origins[name] === "default" ? "default" : "") : origins[name]}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function Where({ place }: { place: Place }) {
  const parts = (place[1] ? `${place[0]}:${place[1]}` : place[0]).split(/(?<=[/\\])/);
  return <span class="place"> {parts.map((part, at) => [at > 0 && <wbr key={at} />, part])}</span>;
}

function SourceSection({ place }: { place: Place | null }) {
  if (!place) return null;
  return (
    <Section title="Source">
      <Source place={place} />
    </Section>
  );
}

/** A line of the program with the lines around it. */
export function Source({ place }: { place: Place | null }) {
  const { network } = useShared();
  if (!place) return null;
  const lines = network.sources[place[0]] ?? {};
  const numbers = Object.keys(lines).map(Number).filter((number) => Math.abs(number - place[1]) <= 4);
  const margin = Math.min(...numbers.map((number) => lines[String(number)]).filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return (
    <figure class="source">
      <figcaption><Where place={place} /></figcaption>
      {numbers.length > 0 && (
        <pre tabIndex={0} aria-label={`Lines around ${place[1]}`}>{numbers.map((number) => <span key={number} class={number === place[1] ? "line here" : "line"}><span class="number">{number}</span>{lines[String(number)].slice(margin) + "\n"}</span>)}</pre>
      )}
    </figure>
  );
}
