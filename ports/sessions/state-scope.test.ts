import { describe, expect, it } from "vitest";
import { StateScope } from "./state-scope.ts";

describe("StateScope", () => {
  it("holds copies: neither the delta's objects nor those that it returns reach its values", () => {
    const scope = new StateScope();
    const basket = { items: ["tea"] };
    scope.apply({ basket });
    basket.items.push("added to the delta afterwards");
    expect(scope.copy()).toEqual({ basket: { items: ["tea"] } });
    Object.assign(scope.copy()["basket"] ?? {}, { items: [] });
    expect(scope.json).toBe('{"basket":{"items":["tea"]}}');
  });

  it("removes keys that a delta sets to null, and compares a value with the current one", () => {
    const scope = StateScope.of({ a: { deep: [1] }, b: 2 });
    expect([scope.differs("a", { deep: [1] }), scope.differs("a", { deep: [2] })]).toEqual([false, true]);
    scope.apply({ a: null });
    expect([scope.json, scope.differs("a", null), scope.differs("b", null)]).toEqual(['{"b":2}', false, true]);
  });
});
