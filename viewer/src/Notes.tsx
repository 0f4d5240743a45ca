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
  const { data, shownNetwork, showNetwork, evaluator } = useShared();
  const { changes, groups, effects } = data.difference!;
  const evaluators = data.networks.map((each) => new Evaluator(each.formulas, evaluator.sizes, evaluator.decided));
  const unit = (name: string) => (name.includes("bytes") ? "memory" : name === "macs" || name === "flops" ? "operations" : "count");
  const amount = (quantity: number | string | null, at: number, name: string): string => {
    if (quantity === null) return "?";
    const value = evaluators[at].amount(quantity);
    if (value === null) return String(quantity);
    return figure({ low: value.low, high: value.high, exact: true }, unit(name));
  };
  return (
    <div class="notes">
      <section>
        <h2>Effect</h2>
        <table class="plain effects">
          <thead><tr><th>Figure</th><th class="number">Before</th><th class="number">After</th><th class="number">Change</th></tr></thead>
          <tbody>
            {effects.map((effect) => {
              const [before, after] = [effect.before, effect.after];
              const [low, high] = [before, after].map((each, at) => evaluators[at].amount(each)).map((each) => (each && each.low === each.high ? Number(each.low) : null));
              const change = low && high !== null ? ((high - low) / low) * 100 : null;
              return (
                <tr key={effect.name}>
                  <td>{EFFECTS[effect.name] ?? effect.name.replaceAll("_", " ")}</td>
                  <td class="number" title={String(before ?? "unknown")}>{amount(before, 0, effect.name)}</td>
                  <td class="number" title={String(after ?? "unknown")}>{amount(after, 1, effect.name)}</td>
                  <td class="number">{change === null ? "" : `${change > 0 ? "+" : ""}${change.toFixed(1)}%`}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Modules <span class="quiet">{changes.length}</span></h2>
        {changes.length === 0 && <p>No difference.</p>}
        {groups.map((group) => {
          const change = changes[group.changes[0]];
          const isBefore = change.kind === "removed" || shownNetwork === 0;
          return (
            <div class={`note change-${change.kind}`} key={group.changes[0]}>
              <p>
                <span class="sign">{SIGNS[change.kind]}</span>{" "}
                <button class="link" onClick={() => showNetwork(change.kind === "removed" ? 0 : change.kind === "added" ? 1 : shownNetwork, isBefore ? change.path : change.now)}>
                  {group.label || "(root)"}{change.kind === "renamed" && ` → ${change.now}`}
                </button>{" "}
                <span class="quiet">{change.class}{group.changes.length > 1 && ` × ${group.changes.length}`} {change.kind}</span>
              </p>
              {change.details.length > 0 && <ul>{change.details.map((text) => <li key={text}>{text.replaceAll(" -> ", " → ")}</li>)}</ul>}
            </div>
          );
        })}
      </section>
    </div>
  );
}
