import { REMOVED_SENTINEL } from "#kit/events/state-prefixes.ts";
import type { JsonValue } from "../platform/json.ts";
import { applyDelta } from "./state-delta.ts";

/** Reads the values of a session with the changes of a delta. Nothing is copied. */
export class ReadonlyState {
  readonly #values: Readonly<Record<string, JsonValue>>;
  readonly #delta: Readonly<Record<string, JsonValue>>;

  constructor(values: Readonly<Record<string, JsonValue>>, delta: Readonly<Record<string, JsonValue>> = {}) {
    this.#values = values;
    this.#delta = delta;
  }

  /** The value of the key, or the fallback. A type that the caller names is not checked. */
  get<Value = JsonValue>(key: string): Value | undefined;
  get<Value = JsonValue>(key: string, fallback: Value): Value;
  get<Value>(key: string, fallback?: Value): Value | undefined {
    const source = Object.hasOwn(this.#delta, key) ? this.#delta : this.#values;
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    // The caller states the type, as the contract says.
    return value === undefined || isRemoval(value) ? fallback : (value as Value);
  }

  /** Whether the key has a value. False for a key that was removed. */
  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** A copy of all values, changes included. */
  toObject(): Record<string, JsonValue> {
    const values = { ...this.#values };
    applyDelta(values, this.#delta);
    return values;
  }

  /** The same as `toObject`. */
  toRecord(): Record<string, JsonValue> {
    return this.toObject();
  }
}

/** Whether the value stands for the removal of its key. */
export function isRemoval(value: JsonValue): boolean {
  return value === null || value === REMOVED_SENTINEL;
}
