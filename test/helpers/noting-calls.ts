import type { JsonValue } from "#kit/platform/json.ts";

/**
 * The port, whose calls are noted with all that they are given: a line for each, such as
 * `  runJournal.get("run-1")`.
 */
export function notingCalls<Port extends object>(name: string, port: Port, calls: string[]): Port {
  return new Proxy(port, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== "function" || typeof member === "symbol") return value;
      return (...given: readonly unknown[]) => {
        calls.push(`  ${name}.${member}(${given.map((one) => JSON.stringify(shown(one))).join(", ")})`);
        return value.apply(target, given);
      };
    },
  });
}

function shown(value: unknown): JsonValue {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof AbortSignal) return "signal";
  if (typeof value === "function") return "function";
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value === undefined ? "undefined" : (value as JsonValue);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, shown(member)]));
}
