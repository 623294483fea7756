import type { FastifyInstance, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { checkJsonStructure, type JsonLimits, MAX_JSON_DEPTH } from "#ports/sessions/json-structure.ts";
import type { GatewayConfig } from "../config.ts";
import { InvalidRequestError } from "../http/errors.ts";
import { type BodyBudget, bodyShareOf } from "./body-budget.ts";
import { type BodyLimits, readBody } from "./read-body.ts";

export type BodyConfig = Pick<GatewayConfig, "MAX_BODY_BYTES" | "MAX_JSON_ELEMENTS">;

// RFC 6839: a type that ends with +json is JSON.
const JSON_TYPES = /^application\/(?:[\w!#$&^.+-]{1,100}\+)?json(?:\s*;|\s*$)/i;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

type JsonBodyApp = Pick<FastifyInstance, "removeAllContentTypeParsers" | "addContentTypeParser" | "addHook">;

/** Bodies are JSON in UTF-8 with a JSON content type; an empty body is `undefined`. All others are refused. */
export function addJsonBody(app: JsonBodyApp, config: BodyConfig, budget: BodyBudget): void {
  const limits = { maxElements: config.MAX_JSON_ELEMENTS, maxDepth: MAX_JSON_DEPTH };
  app.addHook("preParsing", (request, reply, _payload, done) => {
    const { headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
    if (hasBody) budget.open(request.raw, reply.raw);
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(JSON_TYPES, (request, payload, done) => {
    readBody(payload, request.headers, bodyLimits(request, config), (refusal, bytes) => {
      if (refusal !== null || bytes === undefined) {
        done(refusal);
        return;
      }
      let value: unknown;
      try {
        value = parseJsonBody(bytes, limits);
        if (bytes.length > config.MAX_BODY_BYTES) assertMostlyFiles(bytes, value, config);
      } catch (error) {
        // Both throw PlatformErrors only.
        done(error as PlatformError);
        return;
      }
      done(null, value);
    });
  });
}

/** Routes for files have a larger limit than others, and routes that need no caller a smaller one. */
function bodyLimits(request: FastifyRequest, { MAX_BODY_BYTES }: BodyConfig): BodyLimits {
  // For an unknown path the framework's server sets the limit, and that server can belong to another program.
  const maxBytes = request.is404 ? MAX_BODY_BYTES : (request.routeOptions.bodyLimit ?? MAX_BODY_BYTES);
  const larger = maxBytes === MAX_BODY_BYTES ? "MAX_BODY_BYTES" : "MAX_FILE_BODY_BYTES";
  const setting = maxBytes < MAX_BODY_BYTES ? undefined : larger;
  return { maxBytes, setting, share: bodyShareOf(request.raw) };
}

/** The limit of bodies without files also applies to the part of a body that is not files. */
function assertMostlyFiles(bytes: Buffer, value: unknown, { MAX_BODY_BYTES }: BodyConfig): void {
  if (bytes.length - fileBytesOf(value) <= MAX_BODY_BYTES) return;
  const message = `The body has more than ${MAX_BODY_BYTES} bytes beside the data of its files (MAX_BODY_BYTES).`;
  throw new PlatformError("BODY_TOO_LARGE", message, { details: { maxBytes: String(MAX_BODY_BYTES) } });
}

export function parseJsonBody(bytes: Uint8Array, limits: JsonLimits): unknown {
  checkJsonStructure(bytes, "The body", limits);
  const text = decode(bytes);
  if (text === "" || (/^\s*$/.test(text.slice(0, 64)) && text.trim() === "")) return undefined;
  const value = parse(text);
  checkKeys(value, ["body"]);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    // Removes a byte order mark, which some Windows clients send.
    return UTF8.decode(bytes);
  } catch {
    throw new PlatformError("MALFORMED_JSON", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the body; the position alone is enough.
    const position = error instanceof Error ? /position \d+/.exec(error.message)?.[0] : undefined;
    throw new PlatformError(
      "MALFORMED_JSON",
      `The body is not valid JSON${position === undefined ? "." : ` (at ${position}).`}`,
    );
  }
}

/** Refuses keys that could reach an object's prototype. The depth was checked before. */
function checkKeys(value: unknown, path: (string | number)[]): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object") checkChild(item, index, path);
    }
    return;
  }
  for (const key in value) {
    // JSON.parse returns plain objects: their keys are strings and their values anything.
    const child = (value as Record<string, unknown>)[key];
    if (key === "__proto__" || (key === "constructor" && hasPrototype(child))) {
      throw new InvalidRequestError([
        { type: "forbidden_key", loc: [...path, key], msg: "This key is not allowed anywhere in a body." },
      ]);
    }
    if (typeof child === "object") checkChild(child, key, path);
  }
}

function checkChild(child: unknown, key: string | number, path: (string | number)[]): void {
  path.push(key);
  checkKeys(child, path);
  path.pop();
}

function hasPrototype(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
}

/**
 * The number of bytes of a body that are data of files: in the message of a run, or of an artifact. Both spellings
 * count.
 */
export function fileBytesOf(body: unknown): number {
  if (!isJsonObject(body)) return 0;
  const message = body["newMessage"] ?? body["new_message"];
  const parts = isJsonObject(message) && Array.isArray(message["parts"]) ? message["parts"] : [];
  const artifact = body["artifact"];
  // An artifact may also be a text; characters are at most bytes.
  const text = isJsonObject(artifact) && typeof artifact["text"] === "string" ? artifact["text"].length : 0;
  return [...parts, artifact].reduce<number>((sum, part) => sum + dataBytesOf(part), text);
}

function dataBytesOf(part: unknown): number {
  if (!isJsonObject(part)) return 0;
  const data = part["inlineData"] ?? part["inline_data"];
  // Base64: a byte each.
  return isJsonObject(data) && typeof data["data"] === "string" ? data["data"].length : 0;
}
