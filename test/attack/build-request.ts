import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import type { SeededRandom } from "#test/helpers/random/seeded-random.ts";
import { hostileJson, hostileText } from "./hostile-values.ts";
import type { Operation } from "./operations.ts";

export interface AttackRequest {
  readonly operation: Operation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

const APPS = ["weather", "expenses", "research_team_yaml"];
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  app_name: APPS,
  appName: APPS,
  user_id: ["u", "v"],
  userId: ["u", "v"],
  session_id: ["s1", "s2", "s3"],
  sessionId: ["s1", "s2", "s3"],
};
const MAX_DEPTH = 6;

/**
 * A request of the operation: as its document describes it, with faults in some places. `faults` is their share, 0 to
 * 1.
 */
export function buildRequest(operation: Operation, random: SeededRandom, faults: number): AttackRequest {
  const headers: Record<string, string> = {};
  const query: string[] = [];
  let { path } = operation;
  for (const parameter of operation.parameters) {
    const isHostile = random.next() < faults;
    if (parameter.in === "path")
      path = path.replace(`{${parameter.name}}`, pathPart(parameter.name, parameter.schema, random, isHostile));
    if (parameter.in === "path" || (!parameter.required && random.next() < 0.5)) continue;
    const value = isHostile
      ? hostileText(random).slice(0, 4000)
      : textOf(plausible(parameter.name, parameter.schema, random, faults));
    if (parameter.in === "query") query.push(`${encodeURIComponent(parameter.name)}=${encode(value)}`);
    else if (parameter.in === "header")
      headers[parameter.name] = Buffer.from(value)
        .toString("latin1")
        .replace(/[^\t\x20-\x7e]/g, "?");
  }
  if (random.next() < faults / 2)
    query.push(random.pick(["%", "a=%zz", "a[]=1&a[]=2", "__proto__[x]=1", "&&&", `${"a=1&".repeat(2000)}`]));
  const target = query.length === 0 ? path : `${path}?${query.join("&")}`;
  const request = { operation, path: target.slice(0, 12_000), headers };
  return operation.body === undefined ? request : { ...request, ...bodyOf(operation.body, random, faults, headers) };
}

function bodyOf(
  { mediaType, schema }: NonNullable<Operation["body"]>,
  random: SeededRandom,
  faults: number,
  headers: Readonly<Record<string, string>>,
): Pick<AttackRequest, "headers" | "body"> {
  const isOtherType = random.next() < faults / 4;
  const contentType = isOtherType
    ? random.pick([
        "text/plain",
        "application/xml",
        "application/json; charset=utf-16",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/vnd.a+json",
        ";",
      ])
    : mediaType;
  const multipart = mediaType.startsWith("multipart/") && !isOtherType;
  let text = multipart ? multipartBody(random, faults) : jsonOf(schema, "", random, faults, 0);
  if (random.next() < faults / 4)
    text = random.pick([text.slice(0, text.length / 2), `${text}${text}`, `\ufeff${text}`, "", "{", "\u0000"]);
  const type = multipart ? "multipart/form-data; boundary=b" : contentType;
  return { headers: { ...headers, "content-type": type }, body: Buffer.from(text) };
}

function multipartBody(random: SeededRandom, faults: number): string {
  const name =
    random.next() < faults
      ? hostileText(random)
          .slice(0, 2000)
          .replaceAll(/[\r\n"]/g, "_")
      : "weather/root_agent.yaml";
  const content =
    random.next() < faults ? hostileText(random) : "name: weather\nmodel: demo/weather\ninstruction: hello\n";
  return `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\ncontent-type: text/plain\r\n\r\n${content}\r\n--b--${random.next() < faults ? "" : "\r\n"}`;
}

/** JSON text that conforms to the schema, or violates it in some place. */
function jsonOf(schema: JsonObject, name: string, random: SeededRandom, faults: number, depth: number): string {
  // Few places of a large body are wrong: otherwise no body passes the first check.
  if (random.next() < faults / (depth + 2)) return hostileJson(random);
  const variants = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (Array.isArray(variants) && variants.length > 0) {
    const variant = random.pick(variants);
    return jsonOf(isJsonObject(variant) ? variant : {}, name, random, faults, depth + 1);
  }
  const { properties } = schema;
  if (isJsonObject(properties) && depth < MAX_DEPTH) {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const members = Object.entries(properties)
      .filter(([key]) => required.includes(key) || random.next() < 0.4)
      .map(
        ([key, inner]) =>
          `${JSON.stringify(key)}:${jsonOf(isJsonObject(inner) ? inner : {}, key, random, faults, depth + 1)}`,
      );
    if (random.next() < faults / 3)
      members.push(`${JSON.stringify(hostileText(random).slice(0, 500))}:${hostileJson(random)}`);
    return `{${members.join(",")}}`;
  }
  if (schema["type"] === "array" && depth < MAX_DEPTH) {
    const items = isJsonObject(schema["items"]) ? schema["items"] : {};
    return `[${Array.from({ length: random.between(0, 3) }, () => jsonOf(items, name, random, faults, depth + 1)).join(",")}]`;
  }
  return JSON.stringify(plausible(name, schema, random, faults));
}

function plausible(name: string, schema: JsonObject, random: SeededRandom, faults: number): JsonValue {
  const known = KNOWN[name];
  if (known !== undefined && random.next() >= faults / 2) return random.pick(known);
  if (schema["const"] !== undefined) return schema["const"];
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return random.pick(schema["enum"]);
  switch (schema["type"]) {
    case "integer":
    case "number":
      return random.pick([0, 1, 2, 10, -1, 1000, 2 ** 31, Number.MAX_SAFE_INTEGER]);
    case "boolean":
      return random.next() < 0.5;
    case "object":
      return { [random.pick(["a", "text", "app:a", "user:b"])]: random.pick([1, "b", null, [1, 2]]) };
    case "array":
      return [];
    case "null":
      return null;
    default:
      return random.pick([
        "hello",
        "weather in Paris and Rome?",
        "user",
        "a",
        "note: b",
        "2026-01-01T00:00:00Z",
        "aGVsbG8=",
      ]);
  }
}

function pathPart(name: string, schema: JsonObject, random: SeededRandom, isHostile: boolean): string {
  if (!isHostile) return encode(textOf(plausible(name, schema, random, 0)));
  const raw = ["%", "%zz", "%c0%af", "..%2f..", "%2e%2e", ".", "..;", "a%00", "%ff", "/".repeat(3000)];
  return random.next() < 0.3 ? random.pick(raw) : encode(hostileText(random).slice(0, 3000));
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
