import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import type { JsonValue } from "../platform/json.ts";
import { State } from "./state.ts";

describe("State", () => {
  it("records its own changes and reports whether there are any", () => {
    verifies("session:state:records-delta", "session:state:has-delta");
    const state = new State({ a: 1 });
    const before = state.hasDelta();
    state.set("b", [1, 2]);
    expect({ before, after: state.hasDelta(), delta: state.delta, all: state.toObject() }).toEqual({
      before: false,
      after: true,
      delta: { b: [1, 2] },
      all: { a: 1, b: [1, 2] },
    });
  });

  it("returns the fallback for a key without a value, and the same copy under both names", () => {
    const state = new State({ a: 1 }, { b: 2 });
    const counts: readonly number[] = [state.get("a", 0), state.get("c", 7), state.get<number>("b") ?? 0];
    expect([counts, state.toRecord()]).toEqual([[1, 7, 2], state.toObject()]);
    expect([State.APP_PREFIX, State.USER_PREFIX, State.TEMP_PREFIX]).toEqual(["app:", "user:", "temp:"]);
  });

  it("writes changes into the given delta and shows them to every view of the same values", () => {
    const values: Record<string, JsonValue> = { a: 1 };
    const stateDelta: Record<string, JsonValue> = {};
    new State(values, stateDelta).update({ a: 2, "app:theme": "dark", "temp:x": true });
    expect(stateDelta).toEqual({ a: 2, "app:theme": "dark", "temp:x": true });
    expect(new State(values).toObject()).toEqual({ a: 2, "app:theme": "dark", "temp:x": true });
  });

  it("returns a value of the delta rather than the stored one", () => {
    const state = new State({ a: 1, gone: 1 }, { a: 2, gone: null });
    expect([state.get("a"), state.get("gone"), state.has("gone"), state.toObject()]).toEqual([
      2,
      undefined,
      false,
      { a: 2 },
    ]);
  });

  it.each([
    ["null", (state: State) => state.set("a", null)],
    ["the sentinel of other servers", (state: State) => state.set("a", "__ADK_SENTINEL_REMOVED__")],
    ["delete", (state: State) => state.delete("a")],
  ])("removes a key by %s and records null", (_, remove) => {
    const state = new State({ a: 1 });
    remove(state);
    expect([state.has("a"), state.get("a", "none"), state.delta, state.toObject()]).toEqual([
      false,
      "none",
      { a: null },
      {},
    ]);
  });

  it("treats keys named like members of Object.prototype as ordinary keys", () => {
    const state = new State({});
    const before = [state.get("constructor"), state.has("toString")];
    state.set("__proto__", { polluted: true });
    expect([before, state.get("__proto__"), state.get("polluted"), Object.keys(state.toObject())]).toEqual([
      [undefined, false],
      { polluted: true },
      undefined,
      ["__proto__"],
    ]);
  });
});
