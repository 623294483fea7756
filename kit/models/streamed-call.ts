import type { FunctionCall, Part } from "../events/content.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../platform/json.ts";

type Container = Record<string, unknown> | unknown[];
type Key = string | number;

/**
 * A function call whose arguments arrive in chunks, each with a JSON path such as `$.days[0].city`. Strings of one path
 * are joined. Id, name and signature are those of the first chunk.
 */
export class StreamedCall {
  readonly #first: Part;
  readonly #args: Record<string, unknown> = {};

  constructor(first: Part) {
    this.#first = first;
  }

  add(call: FunctionCall): void {
    for (const [key, value] of Object.entries(call.args ?? {})) if (key !== "__proto__") this.#args[key] = value;
    for (const chunk of call.partialArgs ?? []) this.#addChunk(chunk);
  }

  toPart(): Part {
    const { partialArgs: _, willContinue: __, ...call } = this.#first.functionCall ?? {};
    // Only JSON values are ever stored.
    return { ...this.#first, functionCall: { ...call, args: this.#args as JsonObject } };
  }

  #addChunk(chunk: JsonObject): void {
    const path = parsePath(chunk["jsonPath"]);
    const last = path?.pop();
    if (path === undefined || last === undefined) return;
    let container: Container = this.#args;
    for (const [index, key] of path.entries()) {
      const next = enter(container, key, typeof (path[index + 1] ?? last) === "number");
      if (next === undefined) return;
      container = next;
    }
    const value = valueOf(chunk);
    if (value === undefined || !fits(container, last)) return;
    const before = Reflect.get(container, last);
    Reflect.set(container, last, typeof before === "string" && typeof value === "string" ? before + value : value);
  }
}

/** Keys and indexes of `$.a.b[0]['c d']`; undefined for any other text. */
function parsePath(path: JsonValue | undefined): Key[] | undefined {
  if (typeof path !== "string") return undefined;
  const keys: Key[] = [];
  const step = /\.?([^.[\]]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]/y;
  step.lastIndex = path.startsWith("$") ? 1 : 0;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (match === null) return undefined;
    keys.push(match[2] !== undefined ? Number(match[2]) : (match[1] ?? match[3] ?? match[4] ?? ""));
  }
  return keys.includes("__proto__") ? undefined : keys;
}

function enter(container: Container, key: Key, wantsArray: boolean): Container | undefined {
  if (!fits(container, key)) return undefined;
  const inside: unknown = Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;
  if (Array.isArray(inside) || isJsonObject(inside)) return inside;
  const created: Container = wantsArray ? [] : {};
  Reflect.set(container, key, created);
  return created;
}

/** Arrays grow by at most one element, so that a large index cannot exhaust the memory. */
function fits(container: Container, key: Key): boolean {
  return Array.isArray(container) ? typeof key === "number" && key <= container.length : true;
}

function valueOf(chunk: JsonObject): JsonValue | undefined {
  return (
    chunk["stringValue"] ?? chunk["numberValue"] ?? chunk["boolValue"] ?? ("nullValue" in chunk ? null : undefined)
  );
}
