import type { Note } from "./data";
import { Source } from "./Details";
import { figure, grouped } from "./numbers";
import { Evaluator } from "./formula";
import { useShared } from "./state";

/** Everything that is wrong, unknown or assumed, with its place. */
export function Notes() {
  const { network, model, select } = useShared();
  const list = (title: string, notes: Note[], kind: string) =>
    notes.length > 0 && (
      <section>
        <h2>{title} <span class="quiet">{notes.length}</span></h2>
        {notes.map((note, at) => (
          <div class={`note ${kind}`} key={at}>
            <p>
              {note.module && <button class="link" onClick={() => select(model.byPath.get(note.module!) ?? null, true)}>{note.module}</button>} {note.text}
            </p>
            <Source place={note.place} />
          </div>
        ))}
      </section>
    );
  const faults = network.diagnostics.map((fault) => ({ text: `${fault.message} [${fault.code}]`, place: fault.place }));
  const known = network.known;
  return (
    <div class="notes">
      <p class="quiet">
        {grouped(known.facts)} facts: {known.unknown ? `${grouped(known.unknown)} unknown` : "none unknown"}{known.assumed ? `, ${grouped(known.assumed)} depend on assumptions` : ""}.
        {network.requires && ` Inputs: ${network.requires}.`}
      </p>
      {list("Faults", faults, "fault")}
      {list("Conditions", network.conditions.map((each) => ({ text: `${each.text} (${each.kind})${each.holds === null ? "" : each.holds ? ": taken to hold" : ": taken not to hold"}`, place: each.place })), "condition")}
      {list("Unknown", network.unknowns, "unknown")}
      {list("Assumed", network.assumptions, "assumed")}
    </div>
  );
}

const EFFECTS: Record<string, string> = { macs: "MACs", weight_bytes: "weight memory" };
const SIGNS = { added: "+", removed: "−", renamed: "→", changed: "~" };

/** How the second network differs from the first. */
export function Changes() {
  const { data, shownNetwork, showNetwork } = useShared();
  const { changes, effects } = data.difference!;
  const number = (at: number) => new Evaluator(data.networks[at].formulas, {}, {});
  const unit = (name: string) => (name.includes("bytes") ? "memory" : name === "macs" || name === "flops" ? "operations" : "count");
  const amount = (quantity: number | string | null, at: number, name: string): string => {
    if (quantity === null) return "?";
    if (typeof quantity === "string") return quantity;
    const value = number(at).amount(quantity)!;
    return figure({ low: value.low, high: value.high, exact: true }, unit(name));
  };
  return (
    <div class="notes">
      <section>
        <h2>Effect</h2>
        <table class="plain effects">
          <thead><tr><th /><th class="number">Before</th><th class="number">After</th><th class="number">Change</th></tr></thead>
          <tbody>
            {effects.map((effect) => {
              const [before, after] = [effect.before, effect.after];
              const change = typeof before === "number" && typeof after === "number" && before ? ((after - before) / before) * 100 : null;
              return (
                <tr key={effect.name}>
                  <td>{EFFECTS[effect.name] ?? effect.name.replaceAll("_", " ")}</td>
                  <td class="number">{amount(before, 0, effect.name)}</td>
                  <td class="number">{amount(after, 1, effect.name)}</td>
                  <td class="number">{change === null ? "" : `${change > 0 ? "+" : ""}${change.toFixed(1)} %`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Modules <span class="quiet">{changes.length}</span></h2>
        {changes.length === 0 && <p>No difference.</p>}
        {changes.map((change, at) => (
          <div class={`note change-${change.kind}`} key={at}>
            <p>
              <span class="sign">{SIGNS[change.kind]}</span>{" "}
              <button class="link" onClick={() => showNetwork(change.kind === "removed" ? 0 : change.kind === "added" ? 1 : shownNetwork, change.kind === "removed" || shownNetwork === 0 ? change.path : change.now)}>
                {change.path || "(root)"}{change.kind === "renamed" && ` → ${change.now}`}
              </button>{" "}
              <span class="quiet">{change.kind}</span>
            </p>
            {change.details.length > 0 && <ul>{change.details.map((text) => <li key={text}>{text}</li>)}</ul>}
          </div>
        ))}
      </section>
    </div>
  );
}
