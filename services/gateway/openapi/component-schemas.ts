import { BLOB, FILE_DATA, FUNCTION_CALL, FUNCTION_RESPONSE } from "#kit/events/content-table.ts";
import { ACTIONS } from "#kit/events/event-table.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { Shape } from "#kit/schema/shape.ts";
import { ContentSchema, ErrorSchema, EventSchema, PartSchema, SessionSchema } from "../requests/wire-schemas.ts";
import { AgentRunRequest } from "../runs/run-request.ts";
import { RunSchema } from "../runs/wire-run.ts";

/** Shapes that the document names, so that generated clients have a type for each. */
const NAMED: Readonly<Record<string, Shape>> = {
  Session: SessionSchema,
  Event: EventSchema,
  EventActions: ACTIONS,
  Content: ContentSchema,
  Part: PartSchema,
  Blob: BLOB,
  FileData: FILE_DATA,
  FunctionCall: FUNCTION_CALL,
  FunctionResponse: FUNCTION_RESPONSE,
  RunRequest: AgentRunRequest,
  Run: RunSchema,
  Error: ErrorSchema,
};

/** An optional member is a copy of its shape that has the same table of members. */
const NAMES = new Map(Object.entries(NAMED).map(([name, { properties }]) => [properties, name]));

export function componentSchemas(): JsonObject {
  const entries = Object.entries(NAMED).map(([name, shape]) => [name, definitionOf(shape)] as const);
  return Object.fromEntries(entries);
}

/** The shape as a JSON Schema in which named shapes are references. */
export function schemaOf(shape: Shape): JsonObject {
  const name = shape.properties === undefined ? undefined : NAMES.get(shape.properties);
  if (name === undefined) return definitionOf(shape);
  const { description } = shape;
  return present({ $ref: `#/components/schemas/${name}`, description });
}

function definitionOf(shape: Shape): JsonObject {
  const { properties, patternProperties, additionalProperties, items, anyOf, enum: values, ...rest } = shape;
  // Copied as JSON, which leaves out the rules of reading that shapes hold under symbols.
  const keywords: unknown = JSON.parse(JSON.stringify(rest));
  const others = additionalProperties ?? patternProperties?.["^.*$"];
  return present({
    ...(isJsonObject(keywords) && keywords),
    ...(values !== undefined && { type: "string", enum: [...values] }),
    properties: properties && mapOf(properties),
    ...(others !== undefined && { additionalProperties: others === false ? false : schemaOf(others) }),
    items: items && schemaOf(items),
    anyOf: anyOf?.map(schemaOf),
  });
}

function mapOf(properties: Readonly<Record<string, Shape>>): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, schemaOf(shape)]));
}
