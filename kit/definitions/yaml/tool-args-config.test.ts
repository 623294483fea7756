import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { ToolArgsConfig } from "./tool-args-config.ts";

const ARGS = new ToolArgsConfig({ text: "a", count: 3, on: false, list: [1], inner: { snake_case: 1 }, nothing: null });

describe("ToolArgsConfig", () => {
  it("gives a value, or the default when it is missing or of another kind", () => {
    verifies("definitions:tool-args:get-or-default");
    expect(ARGS.getOrDefault("text", "b")).toBe("a");
    expect(ARGS.getOrDefault("on", true)).toBe(false);
    expect(ARGS.getOrDefault("list", [])).toEqual([1]);
    expect(ARGS.getOrDefault("inner", {})).toEqual({ snake_case: 1 });
    expect(ARGS.getOrDefault("missing", 7)).toBe(7);
    expect(ARGS.getOrDefault("text", 7)).toBe(7);
    expect(ARGS.getOrDefault("nothing", "b")).toBe("b");
    expect(ARGS.getOrDefault("toString", "b")).toBe("b");
  });

  it("gives a value, or nothing when it is missing or of another kind", () => {
    verifies("definitions:tool-args:get-or-empty");
    expect(ARGS.getOrEmpty("count", "number")).toBe(3);
    expect(ARGS.getOrEmpty("list", "list")).toEqual([1]);
    expect(ARGS.getOrEmpty("list", "object")).toBeUndefined();
    expect(ARGS.getOrEmpty("missing", "string")).toBeUndefined();
    expect(ARGS.getOrEmpty("constructor", "object")).toBeUndefined();
  });

  it("says whether there are any", () => {
    verifies("definitions:tool-args:is-empty");
    expect([ARGS.isEmpty(), ARGS.size]).toEqual([false, 6]);
    expect([new ToolArgsConfig().isEmpty(), new ToolArgsConfig({}).size]).toEqual([true, 0]);
  });
});
