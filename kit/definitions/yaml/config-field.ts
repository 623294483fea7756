import type { JsonObject } from "#kit/platform/json.ts";
import type { ConfigNode, Position } from "./config-node.ts";
import type { ProblemList } from "./definition-problem.ts";

/** One field of a definition: how it is read, and how it is described to editors. */
export interface ConfigField<Value> {
  readonly schema: JsonObject;
  readonly required?: boolean;
  /** Undefined if the value is wrong; the problem is then added to the reading. */
  read(node: ConfigNode, reading: Reading): Value | undefined;
}

/** The table of a definition's fields, with every member of its type. */
export type ConfigFields<Config> = { readonly [Name in keyof Config]-?: ConfigField<NonNullable<Config[Name]>> };

/** The reading of one file: its problems, and the positions of its values. */
export class Reading {
  readonly problems: ProblemList;
  readonly #places = new WeakMap<object, ReadonlyMap<string, Position>>();

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  /** Stores the positions of an object's fields; "" is the object itself. */
  note(value: object, places: ReadonlyMap<string, Position>): void {
    this.#places.set(value, places);
  }

  /** The position of a field of the object, or of the object. */
  placeOf(value: object, field = ""): Position | undefined {
    const places = this.#places.get(value);
    return places?.get(field) ?? places?.get("");
  }
}
