// Numbers, sizes and shapes as a reader wants them.

import type { Quantity, Shape } from "./data";
import type { Evaluator, Sum } from "./formula";

function scaled(value: number, units: string[]): string {
  let power = 0;
  while (Math.abs(value) >= 999.5 && power < units.length - 1) {
    value /= 1000;
    power++;
  }
  const digits = Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
  return (power === 0 ? String(Math.round(value)) : value.toFixed(digits)) + units[power];
}

export function count(value: bigint | number): string {
  const number = Number(value);
  return Math.abs(number) < 10_000 ? grouped(BigInt(Math.round(number))) : scaled(number, ["", "k", "M", "B", "T", "P"]);
}

export function operations(value: bigint | number): string {
  const number = Number(value);
  return Math.abs(number) < 10_000 ? grouped(BigInt(Math.round(number))) : scaled(number, ["", "k", "M", "G", "T", "P", "E"]);
}

export function memory(value: bigint | number): string {
  return scaled(Number(value), [" B", " kB", " MB", " GB", " TB", " PB"]);
}

export function grouped(value: bigint | number): string {
  return value.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

export type Unit = "count" | "operations" | "memory";

const FORMS = { count, operations, memory };

/** A sum in short: `25.6M`, `1.2M to 2.4M` where conditions are open, `≥ 3` where a part is unknown, `?`, or a dash. */
export function figure(sum: Sum, unit: Unit): string {
  const form = FORMS[unit];
  if (sum.high === 0n) return sum.exact ? "–" : "?";
  const text = sum.low === sum.high ? form(sum.low) : `${form(sum.low)} to ${form(sum.high)}`;
  return sum.exact ? text : `≥ ${text}`;
}

export function size(quantity: Quantity, evaluator: Evaluator): string {
  const amount = evaluator.amount(quantity);
  if (amount === null) return "?";
  return amount.low === amount.high ? amount.low.toString() : `${amount.low}|${amount.high}`;
}

export function shape(sizes: Shape, evaluator: Evaluator): string {
  if (sizes === null) return "?";
  return sizes.length === 0 ? "scalar" : sizes.map((each) => size(each, evaluator)).join("×");
}

/** A shape as the program's formulas say it, such as `B×64×ceil(H/2)`. */
export function formulaShape(sizes: Shape): string {
  if (sizes === null) return "?";
  return sizes.length === 0 ? "scalar" : sizes.map((each) => (each === null ? "?" : String(each))).join(" × ");
}

export function isSymbolic(sizes: Shape): boolean {
  return sizes !== null && sizes.some((each) => typeof each === "string");
}
