import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { rulesOf, type Shape, type TableShape } from "./shape.ts";
import { snakeCase } from "./spelling.ts";

type Write = (value: unknown) => unknown;

/**
 * The JSON of a value: members of its tables first and in their order, in the spelling of their object, then the others.
 * Parts whose JSON equals the value are not copied.
 */
export function writeValue<Value>(shape: Shape<Value>, value: Value): JsonValue {
  // Shapes describe JSON values; interfaces merely lack an index signature.
  return (writerOf(shape)?.(value) ?? value) as JsonValue;
}

const writers = new WeakMap<Shape, { readonly write: Write | undefined }>();

/** Undefined where the JSON equals the value. */
function writerOf(shape: Shape): Write | undefined {
  const known = writers.get(shape);
  if (known !== undefined) return known.write;
  const write = compileWriter(shape);
  writers.set(shape, { write });
  return write;
}

function compileWriter(shape: Shape): Write | undefined {
  const { write, closed = false } = rulesOf(shape) ?? {};
  if (write !== undefined) return write;
  const writeItem = shape.items && writerOf(shape.items);
  if (writeItem !== undefined) return (value) => (Array.isArray(value) ? value.map(writeItem) : value);
  const members = writtenMembers(shape).map((member) => ({ ...member, write: writerOf(member.shape) }));
  if (members.every((member) => member.write === undefined && member.written === member.name)) return undefined;
  const names = new Set(members.map(({ name }) => name));
  return (value) => {
    if (!isJsonObject(value)) return value;
    const json: Record<string, unknown> = {};
    for (const member of members) {
      const given = value[member.name];
      if (given !== undefined) json[member.written] = member.write === undefined ? given : member.write(given);
    }
    if (!closed) for (const key in value) if (!names.has(key)) json[key] = value[key];
    return json;
  };
}

interface WrittenMember {
  readonly name: string;
  readonly written: string;
  readonly shape: Shape;
}

function writtenMembers(shape: Shape): readonly WrittenMember[] {
  const isSnake = rulesOf(shape)?.spelling === "snake_case";
  return Object.entries(shape.properties ?? {}).map(([name, member]) => {
    return { name, written: isSnake ? snakeCase(name) : name, shape: member };
  });
}

/** A fast way back for an object that `writeValue` wrote: members are renamed and converted, and nothing is checked. */
export function rereaderOf<Value extends object>(shape: TableShape<Value>): (json: JsonObject) => Value {
  const members = writtenMembers(shape).map((member) => ({ ...member, parse: rulesOf(member.shape)?.parse }));
  return (json) => {
    const value: Record<string, unknown> = {};
    for (const { name, written, parse } of members) {
      const given = parse === undefined ? json[written] : parse(json[written]);
      if (given !== undefined) value[name] = given;
    }
    // The object was written from a value of the table.
    return value as Value;
  };
}
