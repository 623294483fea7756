import type { JsonValue } from "#kit/platform/json.ts";

const REDACTED = "[REDACTED]";
const UNSERIALIZABLE = "[UNSERIALIZABLE]";
const CYCLE = "[cycle detected]";
const TOO_DEEP = "[max depth exceeded]";
const TOO_MANY = "[max size exceeded]";
export const TRUNCATION_SUFFIX = "...[truncated]";

const MAX_DEPTH = 200;
/** Values in one content. Callers, models and tools can send millions. */
const MAX_VALUES = 20_000;
/** Keys of credentials, and of state that reaches no store. */
const SENSITIVE_KEY = /^(?:client_secret|access_token|refresh_token|id_token|api_key|password)$|^temp:/i;

const SENSITIVE_STARTS = "acirptACIRPT";

/** Most keys begin with another letter, which is cheaper to see than the pattern. */
function isSensitive(key: string): boolean {
  return SENSITIVE_STARTS.includes(key.charAt(0)) && SENSITIVE_KEY.test(key);
}

/**
 * Makes values fit for a row: credentials are replaced, long texts cut, and what JSON cannot express is named. Values
 * that need no change are returned as they are, without a copy.
 */
export class ValueCleaner {
  /** Whether something was cut since the cleaner was created. */
  isTruncated = false;
  readonly #maxLength: number;
  readonly #path: object[] = [];
  #values = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  text(text: string): string {
    if (text.length <= this.#maxLength) return text;
    this.isTruncated = true;
    return text.slice(0, this.#maxLength) + TRUNCATION_SUFFIX;
  }

  clean(value: unknown): JsonValue {
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
        return value;
      case "undefined":
        return null;
      case "object":
        return value === null ? null : this.#object(value);
      default:
        return UNSERIALIZABLE;
    }
  }

  #object(value: object): JsonValue {
    this.#values += 1;
    if (this.#values > MAX_VALUES) {
      this.isTruncated = true;
      return TOO_MANY;
    }
    if (this.#path.length >= MAX_DEPTH) return TOO_DEEP;
    if (this.#path.includes(value)) return CYCLE;
    this.#path.push(value);
    try {
      if (Array.isArray(value)) return this.#list(value);
      if ("toJSON" in value && typeof value.toJSON === "function") return this.clean(value.toJSON());
      return this.#members(value);
    } catch {
      // A getter or `toJSON` of the author has thrown.
      return UNSERIALIZABLE;
    } finally {
      this.#path.pop();
    }
  }

  #list(list: readonly unknown[]): JsonValue {
    let copy: JsonValue[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      if (index >= MAX_VALUES) {
        this.isTruncated = true;
        return [...(copy ?? (list.slice(0, index) as JsonValue[])), TOO_MANY];
      }
      const item = list[index];
      const clean = this.clean(item);
      // Items before the first changed one are clean.
      if (copy === undefined && clean !== item) copy = list.slice(0, index) as JsonValue[];
      copy?.push(clean);
    }
    return copy ?? (list as readonly JsonValue[]);
  }

  #members(value: object): JsonValue {
    let copy: Record<string, JsonValue> | undefined;
    const given = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(given)) {
      const member = given[key];
      // JSON leaves such members out too.
      if (member === undefined) continue;
      const clean = isSensitive(key) ? REDACTED : this.clean(member);
      if (clean === member) continue;
      copy ??= { ...value };
      Object.defineProperty(copy, key, { value: clean, enumerable: true, configurable: true, writable: true });
    }
    return copy ?? (value as JsonValue);
  }
}
