import { describe, expect, test } from "vitest";
import { Evaluator, evaluateSize, sum } from "../src/formula";

describe("formulas", () => {
  // 3*B*ceil(H/2), with ceil as the core has it: floor((H - 1)/2) + 1
  const half = [[1, [[["floordiv", [[1, [["H", 1]]], [-1, []]], 2], 1]]], [1, []]] as never;

  test("are exact in whole numbers", () => {
    expect(evaluateSize(half, { H: 7n })).toBe(4n);
    expect(evaluateSize([["123456789012345678901", [["B", 2]]]] as never, { B: 3n })).toBe(1111111101111111110109n);
  });

  test("round down below zero, as Python does", () => {
    expect(evaluateSize([[1, [[["floordiv", -7, 2], 1]]]] as never, {})).toBe(-4n);
    expect(evaluateSize([[1, [[["mod", -7, 3], 1]]]] as never, {})).toBe(2n);
  });

  test("have no value where an exact quotient is not whole", () => {
    const evaluator = new Evaluator({ "H/32": [[1, [[["quotient", [[1, [["H", 1]]]], 32], 1]]]] as never }, { H: 33n }, {});
    expect(evaluator.amount("H/32")).toBeNull();
    expect([...evaluator.failures]).toEqual(["33 is not divisible by 32"]);
  });

  test("have a range where conditions are open", () => {
    const formulas = { "64 + 64*[wide]": [[64, []], [64, [["[wide]", 1]]]] as never };
    expect(new Evaluator(formulas, {}, {}).amount("64 + 64*[wide]")).toEqual({ low: 64n, high: 128n });
    expect(new Evaluator(formulas, {}, { wide: true }).amount("64 + 64*[wide]")).toEqual({ low: 128n, high: 128n });
  });

  test("sums say that a part is unknown", () => {
    expect(sum([[3, 1], [null, 1]], new Evaluator({}, {}, {}))).toEqual({ low: 3n, high: 3n, exact: false });
  });
});
