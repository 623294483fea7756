import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { checkClientState } from "./state-keys.ts";

describe("checkClientState", () => {
  it.each([
    "_adk_replay_config",
    "app:_adk_recordings_config",
    "user:_adk",
    "temp:_adk_x",
    "constructor",
    "app:prototype",
    "user:__proto__",
  ])("refuses %s and names it", (key) => {
    verifies("session:state:reserved-keys");
    expect(() => checkClientState({ ok: 1, [key]: 2 })).toThrow(
      expect.objectContaining({ reason: "RESERVED_STATE_KEY", details: { key } }),
    );
  });

  it("refuses an own key __proto__", () => {
    const state: Record<string, number> = {};
    Object.defineProperty(state, "__proto__", { value: 1, enumerable: true });
    expect(() => checkClientState(state)).toThrow(expect.objectContaining({ reason: "RESERVED_STATE_KEY" }));
  });

  it.each(["__session_metadata__", "temp:x", "app:x", "my_adk", "adk", "a.constructor"])("allows %s", (key) => {
    expect(() => checkClientState({ [key]: 1 })).not.toThrow();
  });
});
