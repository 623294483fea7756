import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** One operation of the server's OpenAPI document. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly mediaType: string; readonly schema: JsonObject };
  /** Statuses of 500 and above that the document declares. */
  readonly declared: ReadonlySet<number>;
}

const METHODS = new Set(["get", "put", "post", "patch", "delete"]);

/** All operations of the document that the server serves. */
export async function readOperations(url: URL): Promise<readonly Operation[]> {
  const response = await fetch(new URL("/openapi.json", url));
  const document: unknown = await response.json();
  const schemas = objectOf(objectOf(objectOf(document)["components"])["schemas"]);
  const paths = objectOf(objectOf(document)["paths"]);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).flatMap(([method, operation]) =>
      METHODS.has(method) ? [toOperation(method.toUpperCase(), path, objectOf(resolved(operation, schemas)))] : [],
    ),
  );
}

function toOperation(method: string, path: string, operation: JsonObject): Operation {
  const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].map(objectOf) : [];
  const content = objectOf(objectOf(operation["requestBody"])["content"]);
  const [mediaType, media] = Object.entries(content)[0] ?? [];
  return {
    method,
    path,
    parameters: parameters.map((parameter) => ({
      name: String(parameter["name"]),
      in: String(parameter["in"]),
      required: parameter["required"] === true,
      schema: objectOf(parameter["schema"]),
    })),
    ...(mediaType !== undefined && { body: { mediaType, schema: objectOf(objectOf(media)["schema"]) } }),
    declared: new Set(
      Object.keys(objectOf(operation["responses"]))
        .map(Number)
        .filter((status) => status >= 500),
    ),
  };
}

/** A copy with the named schemas in place of the references to them. */
function resolved(value: JsonValue, schemas: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => resolved(item, schemas));
  if (!isJsonObject(value)) return value;
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(value["$ref"]))?.[1];
  if (name !== undefined) return resolved(schemas[name] ?? {}, schemas);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolved(member, schemas)]));
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
