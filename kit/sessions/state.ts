import { REMOVED_SENTINEL } from "#kit/events/state-prefixes.ts";
import type { JsonValue } from "../platform/json.ts";
import { applyDelta, setOwn } from "./state-delta.ts";

/**
 * State for agents, callbacks and tools: the values of a session, and the changes made through this object. A change is
 * immediately visible to all readers of the same values, and is recorded in the delta, which is stored. Nothing is
 * copied: pass `session.state`, and `actions.stateDelta` to record the changes in an event.
 */
export class State {
  readonly #values: Record<string, JsonValue>;
  readonly #delta: Record<string, JsonValue>;

  constructor(values: Record<string, JsonValue>, delta: Record<string, JsonValue> = {}) {
    this.#values = values;
    this.#delta = delta;
  }

  get(key: string): JsonValue | undefined;
  get<T extends JsonValue>(key: string, fallback: T): JsonValue | T;
  get(key: string, fallback?: JsonValue): JsonValue | undefined {
    const source = Object.hasOwn(this.#delta, key) ? this.#delta : this.#values;
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    return value === undefined || isRemoval(value) ? fallback : value;
  }

  /** Null removes the key. */
  set(key: string, value: JsonValue): void {
    if (isRemoval(value)) {
      this.delete(key);
      return;
    }
    setOwn(this.#values, key, value);
    setOwn(this.#delta, key, value);
  }

  update(changes: Readonly<Record<string, JsonValue>>): void {
    for (const [key, value] of Object.entries(changes)) this.set(key, value);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Recorded as null: the key is removed from the store too. */
  delete(key: string): void {
    delete this.#values[key];
    setOwn(this.#delta, key, null);
  }

  hasDelta(): boolean {
    for (const _ in this.#delta) return true;
    return false;
  }

  /** The recorded changes; null stands for a removed key. */
  get delta(): Readonly<Record<string, JsonValue>> {
    return this.#delta;
  }

  /** A copy of all values, changes included. */
  toObject(): Record<string, JsonValue> {
    const values = { ...this.#values };
    applyDelta(values, this.#delta);
    return values;
  }
}

function isRemoval(value: JsonValue): boolean {
  return value === null || value === REMOVED_SENTINEL;
}
