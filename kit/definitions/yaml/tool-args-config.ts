import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** The kinds of values that an argument can have. */
export interface ToolArgTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly list: readonly JsonValue[];
  readonly object: JsonObject;
}

/** Arguments of a tool in a definition: any keys and any values, keys unchanged. */
export class ToolArgsConfig {
  readonly #values: JsonObject;

  constructor(values: JsonObject = {}) {
    this.#values = values;
  }

  /** The value, or the default if it is missing or of another kind than the default. */
  getOrDefault(key: string, defaultValue: string): string;
  getOrDefault(key: string, defaultValue: number): number;
  getOrDefault(key: string, defaultValue: boolean): boolean;
  getOrDefault(key: string, defaultValue: readonly JsonValue[]): readonly JsonValue[];
  getOrDefault(key: string, defaultValue: JsonObject): JsonObject;
  getOrDefault(key: string, defaultValue: JsonValue): JsonValue {
    const value = this.#own(key);
    return value !== undefined && typeOf(value) === typeOf(defaultValue) ? value : defaultValue;
  }

  /** The value, or undefined if it is missing or of another kind. */
  getOrEmpty<Type extends keyof ToolArgTypes>(key: string, type: Type): ToolArgTypes[Type] | undefined {
    const value = this.#own(key);
    if (value === undefined || typeOf(value) !== type) return undefined;
    // The line above has checked that the value is of this type.
    return value as ToolArgTypes[Type];
  }

  isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return this.keys().length;
  }

  keys(): readonly string[] {
    return Object.keys(this.#values);
  }

  toJSON(): JsonObject {
    return this.#values;
  }

  #own(key: string): JsonValue | undefined {
    return Object.hasOwn(this.#values, key) ? this.#values[key] : undefined;
  }
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "list";
  if (isJsonObject(value)) return "object";
  return value === null ? "null" : typeof value;
}
