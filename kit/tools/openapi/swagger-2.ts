import { importOptional } from "#kit/optional-packages/optional-package.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"] as const;
/** References from one parameter to another that are followed. */
const MAX_HOPS = 5;

/** A description in Swagger 2.0 as OpenAPI 3.0. Throws `PACKAGE_MISSING`. */
export async function fromSwagger2(root: JsonObject): Promise<JsonObject> {
  const { upgrade } = await importOptional({
    name: "@scalar/openapi-upgrader",
    user: "Descriptions in Swagger 2.0",
    load: () => import("@scalar/openapi-upgrader"),
  });
  const prepared = { ...root, paths: mapMembers(root["paths"], (item) => preparedItem(root, item)) };
  // The package changes what it converts. A converted description is JSON as the given one is.
  return upgrade(structuredClone(prepared), "3.0") as unknown as JsonObject;
}

/**
 * With shared parameters in place of references, as the package converts bodies and fields of forms only where they
 * stand, and with the usual format of lists, which the package leaves out of forms.
 */
function preparedItem(root: JsonObject, item: JsonValue): JsonValue {
  if (!isJsonObject(item)) return item;
  const shared = parametersIn(root, item["parameters"]);
  const bodies = shared.filter(isOfBody);
  const operations = METHODS.flatMap((method): readonly (readonly [string, JsonValue])[] => {
    const operation = item[method];
    if (!isJsonObject(operation)) return [];
    const own = parametersIn(root, operation["parameters"]);
    // The body of a path is that of each operation without one of its own.
    const inherited = own.some(isOfBody) ? [] : bodies;
    return [[method, { ...operation, parameters: [...own, ...inherited] }]];
  });
  const others = shared.filter((parameter) => !isOfBody(parameter));
  return present({ ...item, parameters: shared.length > 0 ? others : undefined, ...Object.fromEntries(operations) });
}

function parametersIn(root: JsonObject, list: JsonValue | undefined): readonly JsonObject[] {
  return (Array.isArray(list) ? list : []).map((one: JsonValue) => {
    const parameter = resolved(root, one);
    const isField = parameter["in"] === "formData" && parameter["type"] === "array";
    return isField && parameter["collectionFormat"] === undefined
      ? { ...parameter, collectionFormat: "csv" }
      : parameter;
  });
}

function resolved(root: JsonObject, value: JsonValue): JsonObject {
  let found: JsonValue | undefined = value;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    if (!isJsonObject(found)) return {};
    const reference: JsonValue | undefined = found["$ref"];
    const [, name]: readonly (string | undefined)[] = /^#\/parameters\/([^/]+)$/.exec(`${reference}`) ?? [];
    // Any other reference is left to the conversion.
    if (name === undefined) return found;
    const { parameters } = root;
    found = isJsonObject(parameters) && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  }
  return {};
}

function isOfBody({ in: place }: JsonObject): boolean {
  return place === "body" || place === "formData";
}

function mapMembers(value: JsonValue | undefined, change: (member: JsonValue) => JsonValue): JsonObject {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([name, member]) => [name, change(member)]));
}
