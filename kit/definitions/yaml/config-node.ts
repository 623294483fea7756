import type { JsonValue } from "#kit/platform/json.ts";

/** A position in a definition file; both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A value of a definition file with its position. */
export type ConfigNode =
  | { readonly kind: "map"; readonly at: Position; readonly entries: readonly ConfigEntry[] }
  | { readonly kind: "list"; readonly at: Position; readonly items: readonly ConfigNode[] }
  | { readonly kind: "scalar"; readonly at: Position; readonly value: string | number | boolean | null };

export interface ConfigEntry {
  readonly key: string;
  readonly at: Position;
  readonly value: ConfigNode;
}

/** The value without the positions; keys are unchanged. */
export function toJson(node: ConfigNode): JsonValue {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(toJson);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, toJson(value)]));
    default:
      return node satisfies never;
  }
}

/** The type of a value, in words for a message. */
export function describeNode(node: ConfigNode): string {
  if (node.kind === "list") return "a list";
  if (node.kind === "map") return "a map";
  if (node.value === null) return "empty";
  return typeof node.value === "string" ? `the text "${shorten(node.value)}"` : String(node.value);
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
