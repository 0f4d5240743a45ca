import type { Network } from "./data";
import type { Evaluator } from "./formula";
import { shape } from "./numbers";

interface Props {
  network: Network;
  evaluator: Evaluator;
  sizes: Record<string, number>;
  decided: Record<string, boolean>;
  setSize: (name: string, value: number) => void;
  decide: (text: string, holds: boolean | undefined) => void;
}

/** The largest number of a slider: more than the example, as far as sizes usually go. */
function most(value: number): number {
  return value <= 8 ? 64 : value <= 256 ? 1024 : value * 4;
}

/** Sliders for the sizes that are left open, and switches for the conditions. */
export function Controls({ network, evaluator, sizes, decided, setSize, decide }: Props) {
  const open = network.conditions.filter((each) => each.holds === null && each.kind !== "mode");
  const names = Object.keys(sizes);
  if (!names.length && !open.length) return null;
  const problem = refusal(network, evaluator, sizes);
  return (
    <section class="controls" aria-label="Sizes and conditions">
      {names.map((name) => {
        const { value, least, multiple } = network.sizes[name];
        const limit = least + (-least % multiple === 0 ? 0 : multiple - (least % multiple));
        return (
          <label class="size" key={name}>
            <span>{name}</span>
            <input type="range" min={Math.max(limit, multiple)} max={most(value)} step={multiple} value={sizes[name]} onInput={(event) => setSize(name, Number(event.currentTarget.value))} aria-label={`Size ${name}`} />
            <input type="number" min={1} value={sizes[name]} onInput={(event) => event.currentTarget.valueAsNumber >= 1 && setSize(name, Math.floor(event.currentTarget.valueAsNumber))} aria-label={`Number of ${name}`} />
          </label>
        );
      })}
      {open.map((each) => (
        <span class="switch" key={each.text} role="group" aria-label={`Condition ${each.text}`} title={`${each.kind}${each.place ? `, ${each.place[0]}:${each.place[1]}` : ""}`}>
          <code>{each.text}</code>
          {([["both", undefined], ["yes", true], ["no", false]] as const).map(([word, holds]) => (
            <button key={word} aria-pressed={decided[each.text] === holds} onClick={() => decide(each.text, holds)}>{word}</button>
          ))}
        </span>
      ))}
      {problem && <span class="refusal" role="status">{problem}</span>}
    </section>
  );
}

/** Says what is wrong with the sizes that are set, or nothing. */
function refusal(network: Network, evaluator: Evaluator, sizes: Record<string, number>): string {
  for (const [name, { least, multiple }] of Object.entries(network.sizes)) {
    if (sizes[name] < least) return `${name} is at least ${least}`;
    if (sizes[name] % multiple) return `${name} is divisible by ${multiple}`;
  }
  for (const op of network.ops) {
    for (const name of op.outputs) {
      const [sizesOf] = network.values[name];
      for (const size of sizesOf ?? []) {
        if (typeof size !== "string") continue;
        const amount = evaluator.amount(size);
        if (amount === null) return evaluator.failures.size ? `Not possible: ${[...evaluator.failures][0]}` : "";
        if (amount.high < 1n) return `Too small: ${op.op.slice(op.op.lastIndexOf(".") + 1)} in ${op.module || "the root"} would give ${shape(sizesOf, evaluator)}`;
      }
    }
  }
  return "";
}
