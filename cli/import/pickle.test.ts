import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { PickleError, readPickle } from "./pickle.ts";

const LIMITS = { maxElements: 1000, maxDepth: 50 };
const read = (...parts: readonly (string | number | Buffer)[]) =>
  readPickle(
    Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.of(part) : Buffer.from(part)))),
    LIMITS,
  );
/** A text of a pickle. */
const text = (value: string) => Buffer.concat([Buffer.of(0x8c, Buffer.byteLength(value)), Buffer.from(value)]);

it("reads maps, lists and numbers", () => {
  verifies("import:pickle");
  const numbers = [0x4b, 7, 0x4d, 1, 2, 0x4a, 0xff, 0xff, 0xff, 0xff, 0x8a, 2, 0, 0x80] as const;
  expect(read(0x80, 4, "(", ...numbers, "N", 0x88, 0x89, "l.")).toEqual([7, 513, -1, -32_768, null, true, false]);
  expect(read("}(", text("a"), "K", 1, text("__proto__"), "]u.")).toEqual(JSON.parse('{"a":1,"__proto__":[]}'));
  expect(read("G", Buffer.from("3ff8000000000000", "hex"), ".")).toBe(1.5);
});

it("reads models by their fields, enumerations by their value, and keeps what is None in maps", () => {
  verifies("import:pickle");
  const model = [text("google.adk.events.event_actions"), text("EventActions"), 0x93, ")", 0x81] as const;
  const fields = ["}(", text("state_delta"), "}", text("gone"), "Ns", text("escalate"), "N", "u"] as const;
  expect(read(...model, "}", text("__dict__"), ...fields, "sb.")).toEqual({ state_delta: { gone: null } });
  expect(read("cgoogle.genai.types\nMode\n", text("ANY"), 0x85, "R.")).toBe("ANY");
});

it.each<[string, readonly (string | number | Buffer)[], string]>([
  ["a call of a function", ["cos\nsystem\n", text("touch /tmp/x"), 0x85, "R."], "the class os.system"],
  ["a class of another package", ["cposix\nDirEntry\n)", 0x81, "}b."], "posix.DirEntry"],
  ["a date", ["cdatetime\ndatetime\n", "C", 1, "x", 0x85, "R."], "datetime.datetime"],
  ["a call of what is not a class", ["K", 1, ")R."], "calls what is not a class"],
  ["a persistent id", ["Pabc\n."], "the instruction 0x50"],
  ["an extension", [0x82, 1, "."], "the instruction 0x82"],
  ["an end that is missing", ["]"], "cut off"],
  ["a text that is cut off", [0x8d, Buffer.from("ffffffffffffff7f", "hex")], "cut off"],
  ["a value that is not there", ["0."], "damaged"],
  ["an unknown place of the memo", ["h", 9, "."], "damaged"],
  ["a number that JSON has not", ["G", Buffer.from("7ff8000000000000", "hex"), "."], "JSON has not"],
  ["a number that is too large", [0x8a, 9, Buffer.alloc(9, 1), "."], "too large"],
  ["a map with other keys", ["})K", 1, "s."], "keys are not texts"],
  ["a list in itself", ["]", 0x94, "h", 0, "a."], "nested too deep"],
])("refuses %s", (_what, parts, problem) => {
  verifies("import:pickle");
  expect(() => read(...parts)).toThrow(PickleError);
  expect(() => read(...parts)).toThrow(problem);
});

it("counts what a pickle refers to again and again", () => {
  verifies("import:pickle", "import:bounds");
  // Each list has the one before it ten times: a hundred bytes stand for a billion elements.
  const levels = Array.from({ length: 9 }, (_, level) => [
    "](",
    ...Array(10).fill(["h", level]).flat(),
    "e",
    0x94,
  ]).flat();
  expect(() => read("]", 0x94, ...(levels as (string | number)[]), ".")).toThrow("too many elements");
});
