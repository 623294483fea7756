import type { RouteOptions } from "fastify";
import type { JsonObject } from "#kit/platform/json.ts";

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

type DocumentedRoute = Pick<RouteOptions, "url" | "method" | "schema">;

/**
 * The members of a route's schema that the document shows. Each part is JSON Schema, which OpenAPI 3.1 takes as it is.
 */
interface RouteSchema {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly params?: ObjectSchema;
  readonly querystring?: ObjectSchema;
  readonly headers?: ObjectSchema;
  readonly body?: JsonObject;
  readonly response?: Readonly<Record<string, JsonObject>>;
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
}

/** An OpenAPI 3.1 document of the routes that have a summary; the others are not for callers. */
export function toOpenApi(info: OpenApiInfo, routes: readonly DocumentedRoute[]): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const { url, method, schema: raw } of routes) {
    // Routes are described by shapes, below the keys that this document names.
    const schema = raw as RouteSchema | undefined;
    if (schema?.summary === undefined) continue;
    const path = url.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");
    for (const name of [method].flat()) {
      if (name === "HEAD" || name === "OPTIONS") continue;
      paths[path] ??= {};
      paths[path][name.toLowerCase()] = operation(schema, path);
    }
  }
  const sorted = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)));
  // Copied as JSON, which leaves out the rules of reading that shapes hold under symbols.
  return JSON.parse(JSON.stringify({ openapi: "3.1.0", info, servers: [{ url: "." }], paths: sorted })) as JsonObject;
}

function operation(
  { summary = "", description, tags, params, querystring, headers, body, response }: RouteSchema,
  path: string,
): JsonObject {
  const parameters = [
    ...pathParameters(params, path),
    ...otherParameters(querystring, "query"),
    ...otherParameters(headers, "header"),
  ];
  return {
    summary,
    ...(description !== undefined && { description }),
    tags: tags ?? [path.startsWith("/v1/runs") ? "runs" : tagOf(path)],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { content: { "application/json": { schema: body } } } }),
    responses: responses(response),
  };
}

/** The last fixed segment of a route names its resource: `/apps/{appName}/users/{userId}/sessions/{sessionId}`. */
function tagOf(path: string): string {
  const fixed = path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
  if (fixed[0] === "apps") return fixed.at(-1) ?? "server";
  return fixed[0]?.startsWith("run") === true ? "runs" : "server";
}

function pathParameters(params: ObjectSchema | undefined, path: string): readonly JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: params?.properties?.[name] ?? { type: "string" },
  }));
}

function otherParameters(
  { properties = {}, required = [] }: ObjectSchema = {},
  place: "query" | "header",
): readonly JsonObject[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description } = schema;
    return {
      name,
      in: place,
      required: required.includes(name),
      schema,
      ...(typeof description === "string" && { description }),
    };
  });
}

function responses(response: Readonly<Record<string, JsonObject>> = {}): JsonObject {
  const entries = Object.entries(response).map(([status, schema]) => {
    return [status, { description: describe(Number(status)), content: { "application/json": { schema } } }] as const;
  });
  const hasSuccess = entries.some(([status]) => status.startsWith("2"));
  return { ...(!hasSuccess && { 200: { description: "Success" } }), ...Object.fromEntries(entries) };
}

function describe(status: number): string {
  return status < 300 ? "Success" : "An error with its reason";
}
