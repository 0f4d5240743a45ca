// Formulas at concrete sizes: exact, in whole numbers of any length.

import type { Figure, Quantity, Size, Term } from "./data";

export type Sizes = Record<string, bigint>;

/** What is evaluated where it is not a whole number, or depends on a condition that is not decided. */
export class Undefined extends Error {}

function floorDivide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new Undefined("division by zero");
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

function apply(kind: string, left: bigint, right: bigint): bigint {
  switch (kind) {
    case "floordiv":
      return floorDivide(left, right);
    case "mod":
      return left - right * floorDivide(left, right);
    case "min":
      return left < right ? left : right;
    case "max":
      return left > right ? left : right;
    case "quotient":
      if (right === 0n || left % right !== 0n) throw new Undefined(`${left} is not divisible by ${right}`);
      return left / right;
    case "power":
      if (right < 0n || right > 4096n) throw new Undefined("a power that is not whole");
      return left ** right;
  }
  throw new Undefined(`an unknown function, ${kind}`);
}

export function evaluateSize(size: Size, sizes: Sizes): bigint {
  if (!Array.isArray(size)) return BigInt(size);
  let total = 0n;
  for (const [coefficient, factors] of size as Term[]) {
    let product = BigInt(coefficient);
    for (const [atom, power] of factors) {
      const value =
        typeof atom === "string" ? sizes[atom] : apply(atom[0], evaluateSize(atom[1], sizes), evaluateSize(atom[2], sizes));
      if (value === undefined) throw new Undefined(`${String(atom)} has no number`);
      product *= value ** BigInt(power);
    }
    total += product;
  }
  return total;
}

/** The names in a formula, conditions in brackets among them. */
export function symbolsOf(size: Size, into = new Set<string>()): Set<string> {
  if (Array.isArray(size)) {
    for (const [, factors] of size as Term[]) {
      for (const [atom] of factors) {
        if (typeof atom === "string") into.add(atom);
        else {
          symbolsOf(atom[1], into);
          symbolsOf(atom[2], into);
        }
      }
    }
  }
  return into;
}

/** A number; the least and the most where conditions are open; or null where it is unknown. */
export type Amount = { low: bigint; high: bigint } | null;

const MOST_OPEN = 6;

/** Evaluates the quantities of one network at the sizes and conditions that are set. */
export class Evaluator {
  private readonly known = new Map<string, Amount>();
  readonly failures = new Set<string>();

  constructor(
    private readonly formulas: Record<string, Term[]>,
    readonly sizes: Sizes,
    readonly decided: Record<string, boolean>,
  ) {}

  amount(quantity: Quantity): Amount {
    if (quantity === null) return null;
    if (typeof quantity === "number") return { low: BigInt(quantity), high: BigInt(quantity) };
    let amount = this.known.get(quantity);
    if (amount === undefined) {
      const formula = this.formulas[quantity];
      amount = formula === undefined ? null : this.range(formula);
      this.known.set(quantity, amount);
    }
    return amount;
  }

  /** The least and the most that a formula comes to, over all ways to decide the open conditions in it. */
  range(size: Size): Amount {
    const given: Sizes = { ...this.sizes };
    const open: string[] = [];
    for (const name of symbolsOf(size)) {
      if (!name.startsWith("[")) continue;
      const holds = this.decided[name.slice(1, -1)];
      if (holds === undefined) open.push(name);
      else given[name] = holds ? 1n : 0n;
    }
    if (open.length > MOST_OPEN) return null;
    let low: bigint | null = null;
    let high: bigint | null = null;
    for (let way = 0; way < 1 << open.length; way++) {
      open.forEach((name, at) => (given[name] = BigInt((way >> at) & 1)));
      try {
        const value = evaluateSize(size, given);
        if (low === null || value < low) low = value;
        if (high === null || value > high) high = value;
      } catch (error) {
        if (!(error instanceof Undefined)) throw error;
        this.failures.add(error.message);
        return null;
      }
    }
    return low === null || high === null ? null : { low, high };
  }

  /** Tells whether something that is there under a condition is there: yes, no, or undefined where that is open. */
  holds(presence: Size | null | undefined): boolean | undefined {
    if (presence === null || presence === undefined) return undefined;
    const amount = this.range(presence);
    return amount === null || amount.low !== amount.high ? undefined : amount.low !== 0n;
  }

  /** The number to draw: the most that it may be; 0 where it is unknown. */
  size(quantity: Quantity): number {
    const amount = this.amount(quantity);
    return amount === null ? 0 : Number(amount.high);
  }
}

export interface Sum {
  low: bigint;
  high: bigint;
  /** False where a part of it is unknown. */
  exact: boolean;
}

export function sum(figures: Iterable<Figure>, evaluator: Evaluator): Sum {
  const total: Sum = { low: 0n, high: 0n, exact: true };
  for (const [quantity, exact] of figures) {
    const amount = evaluator.amount(quantity);
    if (amount === null || !exact) total.exact = false;
    if (amount !== null) {
      total.low += amount.low;
      total.high += amount.high;
    }
  }
  return total;
}
