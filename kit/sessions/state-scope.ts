import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "../platform/json.ts";
import { applyDelta } from "./state-delta.ts";

/**
 * The values of one scope as a store holds them: nobody else has a reference into them. The JSON is made when it is asked for, and
 * kept until the next change.
 */
export class StateScope {
  #json: string | undefined;
  #values: Record<string, JsonValue> | undefined;

  constructor(json = "{}") {
    this.#json = json;
  }

  static of(values: Record<string, JsonValue>): StateScope {
    return new StateScope(JSON.stringify(values));
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.#values);
    return this.#json;
  }

  /** Takes copies of the delta's values; null removes. */
  apply(delta: JsonObject): void {
    if (Object.keys(delta).length === 0) return;
    applyDelta(this.#parsed(), parse(JSON.stringify(delta)));
    this.#json = undefined;
  }

  /** Whether setting the key would change anything. */
  differs(key: string, value: JsonValue): boolean {
    const values = this.#parsed();
    const current = Object.hasOwn(values, key) ? (values[key] ?? null) : null;
    return !isDeepStrictEqual(current, value);
  }

  /** A copy that the caller may keep and change. */
  copy(): Record<string, JsonValue> {
    return this.#json === "{}" ? {} : parse(this.json);
  }

  #parsed(): Record<string, JsonValue> {
    this.#values ??= parse(this.#json ?? "{}");
    return this.#values;
  }
}

function parse(json: string): Record<string, JsonValue> {
  // Written by JSON.stringify from an object of JSON values.
  return JSON.parse(json) as Record<string, JsonValue>;
}
