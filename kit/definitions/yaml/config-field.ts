import type { JsonObject } from "#kit/platform/json.ts";
import type { ConfigNode, Position } from "./config-node.ts";
import type { ProblemList } from "./definition-problem.ts";

/** One field of a definition: how it is read, and how it is described to editors. */
export interface ConfigField<Value> {
  readonly schema: JsonObject;
  readonly required?: boolean;
  /** Undefined when the value is wrong; the reading has the problem then. */
  read(node: ConfigNode, reading: Reading): Value | undefined;
}

/** The table of a definition's fields: each that its type has. */
export type ConfigFields<Config> = { readonly [Name in keyof Config]-?: ConfigField<NonNullable<Config[Name]>> };

/** One file being read: what is wrong with it, and where its values stand. */
export class Reading {
  readonly problems: ProblemList;
  readonly #places = new WeakMap<object, ReadonlyMap<string, Position>>();

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  /** Remembers where an object's fields stand; "" is the object itself. */
  note(value: object, places: ReadonlyMap<string, Position>): void {
    this.#places.set(value, places);
  }

  /** Where a field of the object stands, or the object. */
  placeOf(value: object, field = ""): Position | undefined {
    const places = this.#places.get(value);
    return places?.get(field) ?? places?.get("");
  }
}
