import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** One operation of an OpenAPI document, with what a request to it needs. */
export interface ApiOperation {
  readonly id: string;
  /** The id of the operation that this one is another spelling of, or its own. */
  readonly purpose: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly object: JsonObject;
}

export function operationsOf(document: JsonObject): readonly ApiOperation[] {
  return Object.entries(objectIn(document, "paths")).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, object]) => {
      if (!isJsonObject(object)) return [];
      const id = String(object["operationId"]);
      const purpose = String(object["x-spelling-of"] ?? id);
      return [{ id, purpose, method: method.toUpperCase(), path, tag: String(listIn(object, "tags")[0]), object }];
    }),
  );
}

export function objectIn(object: JsonObject, ...path: readonly string[]): JsonObject {
  let value: JsonValue | undefined = object;
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined;
  return isJsonObject(value) ? value : {};
}

export function listIn(object: JsonObject, name: string): readonly JsonValue[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}

/** The parameters of an operation. */
export function parametersOf({ object }: ApiOperation): readonly JsonObject[] {
  return listIn(object, "parameters").filter(isJsonObject);
}
