import { APP_PREFIX, TEMP_PREFIX, USER_PREFIX } from "#kit/events/state-prefixes.ts";
import type { JsonValue } from "../platform/json.ts";
import { isRemoval, ReadonlyState } from "./readonly-state.ts";
import { setOwn } from "./state-delta.ts";

/**
 * State for agents, callbacks and tools: the values of a session, and the changes made through this object. A change is
 * immediately visible to all readers of the same values, and is recorded in the delta, which is stored. Nothing is
 * copied: pass `session.state`, and `actions.stateDelta` to record the changes in an event.
 */
export class State extends ReadonlyState {
  static readonly APP_PREFIX = APP_PREFIX;
  static readonly USER_PREFIX = USER_PREFIX;
  static readonly TEMP_PREFIX = TEMP_PREFIX;
  readonly #values: Record<string, JsonValue>;
  readonly #delta: Record<string, JsonValue>;

  constructor(values: Record<string, JsonValue>, delta: Record<string, JsonValue> = {}) {
    super(values, delta);
    this.#values = values;
    this.#delta = delta;
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

  /** Sets several keys; null removes a key. */
  update(changes: Readonly<Record<string, JsonValue>>): void {
    for (const [key, value] of Object.entries(changes)) this.set(key, value);
  }

  /** Recorded as null: the key is removed from the store too. */
  delete(key: string): void {
    delete this.#values[key];
    setOwn(this.#delta, key, null);
  }

  /** Whether any change was recorded. */
  hasDelta(): boolean {
    for (const _ in this.#delta) return true;
    return false;
  }

  /** The recorded changes; null stands for a removed key. */
  get delta(): Readonly<Record<string, JsonValue>> {
    return this.#delta;
  }
}
