import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "#kit/platform/json.ts";
import { applyDelta } from "#kit/sessions/state-delta.ts";

/** The size of a scope: bytes of its JSON, and keys. */
export interface StateSize {
  readonly bytes: number;
  readonly keys: number;
}

/**
 * The values of one scope in a store; no other code has a reference into them. The JSON is made on demand and cached
 * until the next change.
 */
export class StateScope {
  #json: string | undefined;
  #values: Record<string, JsonValue> | undefined;
  #sizeAtMost: StateSize | undefined;

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

  /** Copies the delta's values into the scope; null removes a key. */
  apply(delta: JsonObject): void {
    const keys = Object.keys(delta).length;
    if (keys === 0) return;
    const json = JSON.stringify(delta);
    applyDelta(this.#parsed(), parse(json));
    this.#json = undefined;
    if (this.#sizeAtMost === undefined) return;
    this.#sizeAtMost = { bytes: this.#sizeAtMost.bytes + Buffer.byteLength(json), keys: this.#sizeAtMost.keys + keys };
  }

  /** An upper bound of the size: exact at the first read, then increased by each applied delta. */
  get sizeAtMost(): StateSize {
    this.#sizeAtMost ??= this.measure();
    return this.#sizeAtMost;
  }

  /** The exact size. */
  measure(): StateSize {
    this.#sizeAtMost = { bytes: Buffer.byteLength(this.json), keys: Object.keys(this.#parsed()).length };
    return this.#sizeAtMost;
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#parsed(), key);
  }

  /** Whether setting the key would change the scope. */
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
