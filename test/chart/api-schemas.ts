import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { SCHEMAS } from "./chart-tools.ts";
import { isMap, type KubernetesObject, type Values } from "./render.ts";

/** Kinds of Google's own controllers, whose definitions are not published separately. */
const UNKNOWN = new Set(["BackendConfig", "GCPBackendPolicy", "HealthCheckPolicy"]);

interface Kind {
  readonly schema: Values;
  readonly definitions: Values;
}

/** The API of one version of Kubernetes, and of the controllers for which the chart has objects. */
export class ApiSchemas {
  readonly #kinds = new Map<string, Kind>();

  constructor(version: string) {
    const definitions = mapIn(JSON.parse(readFileSync(join(SCHEMAS, `kubernetes-${version}.json`), "utf8")), "$defs");
    for (const schema of Object.values(definitions).filter(isMap)) {
      for (const kind of listIn(schema, "x-kubernetes-group-version-kind")) {
        if (isMap(kind))
          this.#kinds.set(nameOf(String(kind["group"]), String(kind["version"]), String(kind["kind"])), {
            schema,
            definitions,
          });
      }
    }
    for (const file of readdirSync(SCHEMAS).filter((name) => name.endsWith(".yaml"))) {
      const spec = mapIn(parse(readFileSync(join(SCHEMAS, file), "utf8")), "spec");
      for (const served of listIn(spec, "versions").filter(isMap)) {
        const schema = mapIn(mapIn(served, "schema"), "openAPIV3Schema");
        const name = nameOf(String(spec["group"]), String(served["name"]), String(mapIn(spec, "names")["kind"]));
        this.#kinds.set(name, { schema, definitions: {} });
      }
    }
  }

  /** What the API server would refuse, unknown fields included. */
  faults(object: KubernetesObject): readonly string[] {
    const { apiVersion, kind, metadata } = object;
    const label = `${kind} ${metadata.name}`;
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const found = this.#kinds.get(nameOf(group ?? "", version ?? "", kind));
    if (found === undefined) return UNKNOWN.has(kind) ? [] : [`${label}: there is no ${apiVersion} ${kind}`];
    return check(object, found.schema, found.definitions).map((fault) => `${label}${fault}`);
  }
}

function nameOf(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}

function check(value: unknown, given: Values, definitions: Values): readonly string[] {
  const schema = resolve(given, definitions);
  const types = [schema["type"] ?? []].flat();
  if (value === null) return types.includes("null") || types.length === 0 ? [] : [" is null"];
  const choices = schema["enum"];
  if (Array.isArray(choices) && !choices.includes(value))
    return [` is ${JSON.stringify(value)}, not of ${JSON.stringify(choices)}`];
  const alternatives = schema["oneOf"];
  if (Array.isArray(alternatives) && types.length === 0) {
    return alternatives.filter(isMap).some((one) => check(value, one, definitions).length === 0)
      ? []
      : [" has the wrong type"];
  }
  if (schema["x-kubernetes-int-or-string"] === true) return typeof value === "object" ? [" has the wrong type"] : [];
  if (types.length > 0 && !types.some((type) => isOfType(value, String(type)))) return [` is no ${types.join(" or ")}`];
  if (Array.isArray(value)) {
    const items = schema["items"];
    if (!isMap(items)) return [];
    return value.flatMap((item, index) => check(item, items, definitions).map((fault) => `[${index}]${fault}`));
  }
  return isMap(value) ? checkMembers(value, schema, definitions) : [];
}

function checkMembers(value: Values, schema: Values, definitions: Values): readonly string[] {
  const properties = isMap(schema["properties"]) ? schema["properties"] : {};
  const others = schema["additionalProperties"];
  const missing = listIn(schema, "required")
    .filter((name) => !(String(name) in value))
    .map((name) => ` has no ${name}`);
  const isFree =
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    (Object.keys(properties).length === 0 && others === undefined);
  const wrong = Object.entries(value).flatMap(([name, member]) => {
    const known = properties[name] ?? (isMap(others) ? others : undefined);
    // The API server validates metadata itself, so custom definitions leave it out.
    if (name === "metadata" && isMap(known) && Object.keys(known).length <= 1) return [];
    if (isMap(known)) return check(member, known, definitions).map((fault) => `.${name}${fault}`);
    return isFree || others === true ? [] : [`.${name} is unknown`];
  });
  return [...missing, ...wrong];
}

function resolve(schema: Values, definitions: Values): Values {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  return resolve(mapIn(definitions, reference.slice("#/$defs/".length)), definitions);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isMap(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function mapIn(value: unknown, key: string): Values {
  const found = isMap(value) ? value[key] : undefined;
  if (!isMap(found)) throw new Error(`The schemas have no ${key}.`);
  return found;
}

function listIn(value: Values, key: string): readonly unknown[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}
