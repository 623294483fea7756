import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** A pickle that is not data of the kinds below, or is damaged. */
export class PickleError extends Error {}

export interface PickleLimits {
  readonly maxElements: number;
  readonly maxDepth: number;
}

/** A class that a pickle names. It is never looked up. */
class Named {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** An object of a class, with what the pickle would have passed to it. */
class Instance {
  readonly type: Named;
  readonly args: unknown;
  state: unknown;
  /** Items that were set on it, if it is a map. */
  readonly items = new Map<unknown, unknown>();
  constructor(type: Named, args: unknown) {
    this.type = type;
    this.args = args;
  }
}

const MARK = Symbol("mark");
const LIST_TYPES: ReadonlySet<string> = new Set(["builtins.list", "builtins.set", "builtins.tuple"]);
const MAP_TYPES: ReadonlySet<string> = new Set(["builtins.dict", "collections.OrderedDict"]);
/** Models of ADK, and of the packages whose models its actions contain. */
const MODELS = /^(?:google\.|fastapi\.|pydantic\.)/;

/**
 * Reads a pickle of adk-python's first schema as JSON: models by their fields, without those that are None. Nothing of
 * it is executed: classes are names, and only known ones are data. Throws `PickleError`.
 */
export function readPickle(bytes: Uint8Array, limits: PickleLimits): JsonValue {
  return new JsonOfPickle(limits).valueOf(new PickleReader(bytes).read(), 0);
}

/** The machine of a pickle, with the instructions that data needs. */
class PickleReader {
  readonly #bytes: Buffer;
  #at = 0;
  #stack: unknown[] = [];
  readonly #memo = new Map<number, unknown>();

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  read(): unknown {
    for (;;) {
      const code = this.#number("readUInt8", 1);
      if (code === 0x2e) return this.#pop();
      this.#step(code);
    }
  }

  #step(code: number): void {
    const instruction = INSTRUCTIONS[code];
    if (instruction === undefined)
      throw new PickleError(`It has the instruction 0x${code.toString(16)}, which is not one of data.`);
    instruction(this.#tools);
  }

  readonly #tools: PickleTools = {
    push: (value) => void this.#stack.push(value),
    pop: () => this.#pop(),
    top: () => this.#stack.at(-1),
    popMark: () => {
      const mark = this.#stack.lastIndexOf(MARK);
      if (mark < 0) throw new PickleError("It is damaged.");
      return this.#stack.splice(mark).slice(1);
    },
    uint: (size) => this.#uint(size),
    int32: () => this.#number("readInt32LE", 4),
    double: () => this.#number("readDoubleBE", 8),
    bytes: (size) => this.#take(size),
    line: () => {
      const end = this.#bytes.indexOf(0x0a, this.#at);
      if (end < 0) throw new PickleError("It is cut off.");
      const line = this.#bytes.toString("utf8", this.#at, end);
      this.#at = end + 1;
      return line;
    },
    memo: this.#memo,
  };

  #pop(): unknown {
    if (this.#stack.length === 0) throw new PickleError("It is damaged.");
    return this.#stack.pop();
  }

  #uint(size: 1 | 2 | 4 | 8): number {
    if (size === 8) {
      const value = this.#take(8).readBigUInt64LE();
      if (value > BigInt(this.#bytes.length)) throw new PickleError("It is cut off.");
      return Number(value);
    }
    return this.#take(size).readUIntLE(0, size);
  }

  #number(method: "readUInt8" | "readInt32LE" | "readDoubleBE", size: number): number {
    return this.#take(size)[method](0);
  }

  #take(size: number): Buffer {
    if (this.#at + size > this.#bytes.length) throw new PickleError("It is cut off.");
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}

interface PickleTools {
  push(value: unknown): void;
  pop(): unknown;
  top(): unknown;
  /** The values above the newest mark, which is removed. */
  popMark(): unknown[];
  uint(size: 1 | 2 | 4 | 8): number;
  int32(): number;
  double(): number;
  bytes(size: number): Buffer;
  line(): string;
  readonly memo: Map<number, unknown>;
}

type Instruction = (tools: PickleTools) => void;

const text =
  (size: 1 | 4 | 8): Instruction =>
  (t) =>
    t.push(t.bytes(t.uint(size)).toString("utf8"));
const data =
  (size: 1 | 4 | 8): Instruction =>
  (t) =>
    t.push(Buffer.from(t.bytes(t.uint(size))));
const skip: Instruction = () => {};
const make: Instruction = (t) => {
  const [args, type] = [t.pop(), t.pop()];
  if (!(type instanceof Named)) throw new PickleError("It calls what is not a class.");
  t.push(new Instance(type, args));
};

/** By the code of the instruction. */
const INSTRUCTIONS: Readonly<Record<number, Instruction>> = {
  [0x80]: (t) => void t.uint(1),
  [0x95]: (t) => void t.bytes(8),
  [0x28]: (t) => t.push(MARK),
  [0x30]: (t) => void t.pop(),
  [0x31]: (t) => void t.popMark(),
  [0x32]: (t) => t.push(t.top()),
  [0x4e]: (t) => t.push(null),
  [0x88]: (t) => t.push(true),
  [0x89]: (t) => t.push(false),
  [0x4a]: (t) => t.push(t.int32()),
  [0x4b]: (t) => t.push(t.uint(1)),
  [0x4d]: (t) => t.push(t.uint(2)),
  [0x8a]: (t) => t.push(longOf(t.bytes(t.uint(1)))),
  [0x47]: (t) => t.push(t.double()),
  [0x58]: text(4),
  [0x8c]: text(1),
  [0x8d]: text(8),
  [0x42]: data(4),
  [0x43]: data(1),
  [0x8e]: data(8),
  [0x96]: data(8),
  [0x5d]: (t) => t.push([]),
  [0x29]: (t) => t.push([]),
  [0x8f]: (t) => t.push([]),
  [0x7d]: (t) => t.push(new Map()),
  [0x61]: (t) => append(t, [t.pop()]),
  [0x65]: (t) => append(t, t.popMark()),
  [0x90]: (t) => append(t, t.popMark()),
  [0x91]: (t) => t.push(t.popMark()),
  [0x6c]: (t) => t.push(t.popMark()),
  [0x74]: (t) => t.push(t.popMark()),
  [0x85]: (t) => t.push([t.pop()]),
  [0x86]: (t) => t.push([t.pop(), t.pop()].reverse()),
  [0x87]: (t) => t.push([t.pop(), t.pop(), t.pop()].reverse()),
  [0x64]: (t) => {
    const items = t.popMark();
    t.push(new Map());
    setItems(t, items);
  },
  [0x73]: (t) => setItems(t, [t.pop(), t.pop()].reverse()),
  [0x75]: (t) => setItems(t, t.popMark()),
  [0x68]: (t) => t.push(memoized(t, t.uint(1))),
  [0x6a]: (t) => t.push(memoized(t, t.uint(4))),
  [0x71]: (t) => void t.memo.set(t.uint(1), t.top()),
  [0x72]: (t) => void t.memo.set(t.uint(4), t.top()),
  [0x94]: (t) => void t.memo.set(t.memo.size, t.top()),
  [0x63]: (t) => t.push(new Named(`${t.line()}.${t.line()}`)),
  [0x93]: (t) => {
    const [name, module] = [t.pop(), t.pop()];
    t.push(new Named(`${String(module)}.${String(name)}`));
  },
  [0x52]: make,
  [0x81]: make,
  [0x92]: (t) => {
    t.pop();
    make(t);
  },
  [0x62]: (t) => {
    const state = t.pop();
    const object = t.top();
    if (object instanceof Instance) object.state = state;
    else throw new PickleError("It builds what is not an object.");
  },
  [0x2b]: skip,
};

function append(tools: PickleTools, items: readonly unknown[]): void {
  const list = tools.top();
  if (!Array.isArray(list)) throw new PickleError("It appends to what is not a list.");
  for (const item of items) list.push(item);
}

function setItems(tools: PickleTools, items: readonly unknown[]): void {
  const top = tools.top();
  const map = top instanceof Instance ? top.items : top;
  if (!(map instanceof Map) || items.length % 2 !== 0) throw new PickleError("It sets items of what is not a map.");
  for (let at = 0; at < items.length; at += 2) map.set(items[at], items[at + 1]);
}

function memoized({ memo }: PickleTools, index: number): unknown {
  if (!memo.has(index)) throw new PickleError("It is damaged.");
  return memo.get(index);
}

/** Little-endian, in two's complement. */
function longOf(bytes: Buffer): number {
  if (bytes.length === 0) return 0;
  if (bytes.length > 8) throw new PickleError("It has a number that is too large.");
  const value = BigInt.asIntN(
    8 * bytes.length,
    bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
  );
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new PickleError("It has a number that is too large.");
  return number;
}

/** Parts that a pickle refers to several times count each time: a small pickle must not become a large tree. */
class JsonOfPickle {
  readonly #limits: PickleLimits;
  #elements = 0;

  constructor(limits: PickleLimits) {
    this.#limits = limits;
  }

  valueOf(value: unknown, depth: number): JsonValue {
    this.#elements += 1;
    if (this.#elements > this.#limits.maxElements) throw new PickleError("It has too many elements.");
    if (depth > this.#limits.maxDepth) throw new PickleError("It is nested too deep.");
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw new PickleError("It has a number that JSON has not.");
      return value;
    }
    if (Buffer.isBuffer(value)) return value.toString("base64");
    if (Array.isArray(value)) return value.map((item) => this.valueOf(item, depth + 1));
    if (value instanceof Map) return this.#mapOf(value, depth, false);
    if (value instanceof Instance) return this.#instanceOf(value, depth);
    throw new PickleError("It has a value that is not data.");
  }

  #instanceOf({ type: { name }, args, state, items }: Instance, depth: number): JsonValue {
    if (MAP_TYPES.has(name)) return this.#mapOf(items, depth, false);
    const [first, ...others] = Array.isArray(args) ? args : [];
    if (LIST_TYPES.has(name)) return this.valueOf(first ?? [], depth + 1);
    if (MODELS.test(name)) {
      const fields = state instanceof Map ? state.get("__dict__") : undefined;
      const extra = state instanceof Map ? state.get("__pydantic_extra__") : undefined;
      if (fields instanceof Map) {
        const more = extra instanceof Map ? this.#mapOf(extra, depth, true) : {};
        return { ...this.#mapOf(fields, depth, true), ...more };
      }
      // A member of an enumeration is its class called with its value.
      if (state === undefined && others.length === 0 && (typeof first === "string" || typeof first === "number"))
        return first;
    }
    throw new PickleError(`It has a value of the class ${name.slice(0, 200)}, which is not JSON.`);
  }

  #mapOf(map: ReadonlyMap<unknown, unknown>, depth: number, isModel: boolean): JsonObject {
    const members: [string, JsonValue][] = [];
    for (const [key, value] of map) {
      if (typeof key !== "string" && typeof key !== "number")
        throw new PickleError("It has a map whose keys are not texts.");
      if (isModel && value === null) continue;
      members.push([String(key), this.valueOf(value, depth + 1)]);
    }
    const object: unknown = Object.fromEntries(members);
    // Made of entries.
    return isJsonObject(object) ? object : {};
  }
}
