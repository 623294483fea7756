import type { RouteOptions } from "fastify";
import type { JsonObject } from "#kit/platform/json.ts";
import { type OpenApiInfo, TAGS } from "./api-info.ts";
import { componentSchemas } from "./component-schemas.ts";
import { describeOperation, OTHER_ERROR, type RouteSchema } from "./describe-operation.ts";
import { SECURITY_SCHEMES } from "./security.ts";

export interface DocumentedRoute extends Pick<RouteOptions, "url" | "method"> {
  readonly schema: RouteOptions["schema"] | undefined;
}

/** One method on one path. */
interface Place {
  readonly method: string;
  readonly path: string;
  readonly schema: RouteSchema;
}

/**
 * An OpenAPI 3.1 document of the routes that have a summary; the others are pages and their files. The first route of an
 * operation is under its subject; those on other paths are in a group of their own, last, with ids of their own.
 */
export function toOpenApi(info: OpenApiInfo, routes: readonly DocumentedRoute[]): JsonObject {
  const spellings = Map.groupBy(routes.flatMap(placesOf), ({ schema }) => schema.operationId);
  const operations = [...spellings.values()].flatMap((places) =>
    places.map(({ method, path, schema }, index) => {
      const operation = describeOperation(schema, path);
      return { method, path, operation: index === 0 ? first(operation, places) : other(operation, places, index) };
    }),
  );
  const order = Object.keys(TAGS);
  const sorted = operations.toSorted((a, b) => order.indexOf(tagOf(a.operation)) - order.indexOf(tagOf(b.operation)));
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { method, path, operation } of sorted) {
    paths[path] ??= {};
    paths[path][method] = operation;
  }
  return {
    openapi: "3.1.0",
    info: { ...info },
    servers: [{ url: ".", description: "This server" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentSchemas(),
      responses: { OtherError: OTHER_ERROR },
      securitySchemes: { ...SECURITY_SCHEMES },
    },
  };
}

function placesOf({ url, method, schema: raw }: DocumentedRoute): readonly Place[] {
  // Routes are described by shapes, below the keys that the document reads.
  const schema = raw as RouteSchema | undefined;
  if (schema?.summary === undefined) return [];
  const path = url.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");
  const below = Object.entries(schema.below ?? {}).map(([ending, part]) => {
    const { example: _, description: __, answerExamples: ___, querystring: ____, ...rest } = schema;
    return { path: path + ending, schema: { ...rest, ...part } };
  });
  return [method]
    .flat()
    .filter((name) => name !== "HEAD" && name !== "OPTIONS")
    .flatMap((name) => [{ path, schema }, ...below].map((place) => ({ ...place, method: name.toLowerCase() })));
}

function first(operation: JsonObject, [, ...others]: readonly Place[]): JsonObject {
  if (others.length === 0) return operation;
  const names = others.map(nameOf);
  const note = `Also served as ${names.map((name) => `\`${name}\``).join(", ")}.`;
  return { ...operation, description: paragraphs(operation, note), "x-other-spellings": names };
}

function other(operation: JsonObject, places: readonly Place[], index: number): JsonObject {
  const [shown] = places;
  if (shown === undefined) return operation;
  return {
    ...operation,
    operationId: `${shown.schema.operationId}_${index + 1}`,
    description: paragraphs(operation, `Another spelling of \`${nameOf(shown)}\`.`),
    tags: [OTHER_SPELLINGS],
    "x-spelling-of": shown.schema.operationId,
  };
}

function nameOf({ method, path }: Place): string {
  return `${method.toUpperCase()} ${path}`;
}

function paragraphs({ description }: JsonObject, note: string): string {
  return typeof description === "string" ? `${description}\n\n${note}` : note;
}

function tagOf({ tags }: JsonObject): string {
  return Array.isArray(tags) ? String(tags[0]) : "";
}

const OTHER_SPELLINGS: keyof typeof TAGS = "other spellings";
