import { useMemo, useState } from "preact/hooks";
import { shortOp } from "./model";
import { memory, shape } from "./numbers";
import { tensorBytes, useShared } from "./state";

const WIDTH = 1000;
const HEIGHT = 260;

/** How much memory activations take along the forward pass, and what is alive at the peak. */
export function Memory() {
  const { model, evaluator, network, select } = useShared();
  const [hover, setHover] = useState<number | null>(null);
  const count = network.ops.length;
  const { alive, spans, unknown } = useMemo(() => {
    const change = new Float64Array(count + 1);
    const found: { value: string; start: number; stop: number; bytes: number }[] = [];
    let missing = 0;
    for (const [start, output, stop] of network.lifetimes) {
      const value = network.ops[start].outputs[output];
      const bytes = tensorBytes(network, value, evaluator);
      if (bytes === null) {
        missing++;
        continue;
      }
      change[start] += bytes;
      change[stop + 1] -= bytes;
      found.push({ value, start, stop, bytes });
    }
    const levels = new Float64Array(count);
    let now = 0;
    for (let at = 0; at < count; at++) levels[at] = now += change[at];
    return { alive: levels, spans: found, unknown: missing };
  }, [network, evaluator]);
  if (!count) return <p class="message">The forward pass is not known, so neither is the memory along it.</p>;
  let peak = 0;
  alive.forEach((bytes, at) => (peak = bytes > alive[peak] ? at : peak));
  const most = alive[peak] || 1;
  const at = hover ?? peak;
  const x = (index: number) => (index / Math.max(1, count)) * WIDTH;
  const y = (bytes: number) => HEIGHT - (bytes / most) * (HEIGHT - 20);
  const steps = Array.from(alive, (bytes, index) => `L${x(index)},${y(bytes)}L${x(index + 1)},${y(bytes)}`).join("");
  const here = spans.filter((span) => span.start <= at && span.stop >= at).sort((a, b) => b.bytes - a.bytes);
  const op = network.ops[at];
  const pick = (event: PointerEvent) => {
    const room = (event.currentTarget as SVGElement).getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - room.left) / room.width) * count)));
  };
  const choose = (index: number) => select(model.items.get(`o${index}`) ?? model.byPath.get(network.ops[index].module) ?? null, true);
  return (
    <div class="memory">
      <h2>Memory of activations along the forward pass</h2>
      <p class="quiet">
        Each result is kept until its last use, and what a module is called with until that call ends. The peak is <b>{memory(alive[peak])}</b> at operation {peak + 1} of {count},{" "}
        <button class="link" onClick={() => choose(peak)}>{shortOp(network.ops[peak].op)} in {network.ops[peak].module || "the root"}</button>.
        {unknown > 0 && ` The sizes of ${unknown} results are unknown, so it is at least that.`}
      </p>
      <svg class="timeline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`Peak of ${memory(alive[peak])}`} onPointerMove={(event) => setHover(pick(event))} onPointerLeave={() => setHover(null)} onClick={(event) => choose(pick(event as unknown as PointerEvent))}>
        <path class="area" d={`M0,${HEIGHT}${steps}L${WIDTH},${HEIGHT}Z`} />
        <line class="peak" x1={x(peak + 0.5)} x2={x(peak + 0.5)} y1="0" y2={HEIGHT} />
        {hover !== null && <line class="hover" x1={x(hover + 0.5)} x2={x(hover + 0.5)} y1="0" y2={HEIGHT} />}
      </svg>
      <h3>
        {hover === null ? "At the peak" : `Operation ${at + 1}`}: {shortOp(op.op)} in {op.module || "the root"}, {memory(alive[at])} in {here.length} tensors
      </h3>
      <table class="plain">
        <thead><tr><th>Result of</th><th>Shape</th><th>Type</th><th class="number">Memory</th></tr></thead>
        <tbody>
          {here.slice(0, 12).map((span) => (
            <tr key={span.value} onClick={() => choose(span.start)}>
              <td>{shortOp(network.ops[span.start].op)} <span class="path">{network.ops[span.start].module}</span></td>
              <td>{shape(network.values[span.value][0], evaluator)}</td>
              <td>{network.values[span.value][1]}</td>
              <td class="number">{memory(span.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
