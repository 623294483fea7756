import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { localTarget } from "#kit/schema/local-target.ts";
import { fromSwagger2 } from "./swagger-2.ts";
import { UnusableOperation } from "./unusable-operation.ts";

// The largest public ones, as that of GitHub, have some 12 MB of JSON.
const MAX_TEXT_CHARACTERS = 20_000_000;
const MAX_VALUES = 2_000_000;
const MAX_DEPTH = 100;
// A reference may lead to a reference; longer chains only occur in circles.
const MAX_HOPS = 20;

/** A description in OpenAPI 3 whose references can be followed. */
export class OpenApiDocument {
  readonly root: JsonObject;

  private constructor(root: JsonObject) {
    this.root = root;
  }

  /**
   * Reads an object, or a text in JSON or YAML: OpenAPI 3.0 to 3.2, or Swagger 2.0, which is converted. Throws
   * `INVALID_FIELD` for anything else, and `PACKAGE_MISSING`.
   */
  static async read(source: string | JsonObject): Promise<OpenApiDocument> {
    const root: unknown = typeof source === "string" ? await parse(source) : source;
    if (!isJsonObject(root)) throw invalid("it is not an object");
    checkSize(root);
    if (/^2(?:\.0)?$/.test(versionOf(root["swagger"]))) {
      const converted = await fromSwagger2(root);
      checkSize(converted);
      return new OpenApiDocument(converted);
    }
    if (!/^3\.[012](?:\.|$)/.test(versionOf(root["openapi"])))
      throw invalid('"openapi" should be a version 3.0, 3.1 or 3.2, or "swagger" the version 2.0');
    return new OpenApiDocument(root);
  }

  /** The value, or what its `$ref` leads to. Throws `UnusableOperation` for a reference that leads nowhere. */
  resolve(value: JsonValue | undefined): JsonObject {
    let found = value;
    for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
      if (!isJsonObject(found)) return {};
      const reference = found["$ref"];
      if (typeof reference !== "string") return found;
      found = this.target(reference);
      if (found === undefined)
        throw new UnusableOperation(
          `its reference ${JSON.stringify(reference.slice(0, 200))} leads to nothing in the description`,
        );
    }
    throw new UnusableOperation("its references lead to each other in a circle");
  }

  /** What a reference such as `#/components/schemas/Pet` names; undefined if it is outside or missing. */
  target(reference: string): JsonValue | undefined {
    return localTarget(this.root, reference);
  }
}

/** Unquoted versions in YAML are numbers. */
function versionOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

async function parse(given: string): Promise<unknown> {
  // Editors on Windows begin files with a byte order mark.
  const text = given.replace(/^\ufeff/, "");
  if (text.length > MAX_TEXT_CHARACTERS) throw invalid(`it has more than ${MAX_TEXT_CHARACTERS} characters`);
  try {
    return JSON.parse(text);
  } catch {
    // Nearly all JSON is YAML as well, and the YAML parser reports the position of an error.
    return parseYaml(text);
  }
}

async function parseYaml(text: string): Promise<unknown> {
  const { parse: parseText } = await import("yaml");
  try {
    // Parameters of many operations are aliases of one; the size of what they make is checked as well.
    return parseText(text, { maxAliasCount: 10_000, merge: true });
  } catch (error) {
    throw invalid(`it is neither JSON nor YAML${placeOf(error)}`, error);
  }
}

function placeOf(error: unknown): string {
  if (!(error instanceof Error && "linePos" in error && Array.isArray(error.linePos))) return "";
  const [first] = error.linePos;
  return ` (line ${first.line}, column ${first.col})`;
}

/** Counts without recursion; a value that stands in several places counts in each. */
function checkSize(root: JsonObject): void {
  const open: { readonly value: JsonValue; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let count = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    const members: readonly JsonValue[] = Array.isArray(value) ? value : Object.values(value);
    count += members.length;
    if (count > MAX_VALUES) throw invalid(`it has more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) throw invalid(`it is nested deeper than ${MAX_DEPTH} levels`);
    for (const member of members) open.push({ value: member, depth: depth + 1 });
  }
}

function invalid(problem: string, cause?: unknown): PlatformError {
  return new PlatformError("INVALID_FIELD", `The OpenAPI description cannot be used: ${problem}.`, { cause });
}
