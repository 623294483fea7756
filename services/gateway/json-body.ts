import type { FastifyInstance } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { InvalidRequestError } from "./errors.ts";

// The deepest JSON that people send is a schema inside a state; what is deeper only serves to overflow a stack.
const MAX_DEPTH = 200;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Bodies are JSON, in UTF-8, under that content type; an empty body is `undefined`. Everything else is refused. */
export function addJsonBody(app: Pick<FastifyInstance, "removeAllContentTypeParsers" | "addContentTypeParser">): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    let value: unknown;
    try {
      // parseAs "buffer" hands over a Buffer; the parameter's type does not know.
      value = parseJsonBody(body as Buffer);
    } catch (error) {
      // parseJsonBody throws PlatformErrors only.
      done(error as PlatformError);
      return;
    }
    done(null, value);
  });
}

export function parseJsonBody(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text === "" || (/^\s*$/.test(text.slice(0, 64)) && text.trim() === "")) return undefined;
  const value = parse(text);
  checkTree(value, ["body"]);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    // Takes off a byte order mark, which some Windows clients send.
    return UTF8.decode(bytes);
  } catch {
    throw new PlatformError("MALFORMED_JSON", "The body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's own words quote the body; the position alone is enough.
    const position = error instanceof Error ? /position \d+/.exec(error.message)?.[0] : undefined;
    throw new PlatformError(
      "MALFORMED_JSON",
      `The body is not valid JSON${position === undefined ? "." : ` (at ${position}).`}`,
    );
  }
}

/** Refuses keys that could reach an object's prototype, and trees too deep to walk. */
function checkTree(value: unknown, path: (string | number)[]): void {
  if (typeof value !== "object" || value === null) return;
  if (path.length > MAX_DEPTH)
    throw new PlatformError("MALFORMED_JSON", `The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object") checkChild(item, index, path);
    }
    return;
  }
  for (const key in value) {
    // JSON.parse gave a plain object: its keys are strings and its values anything.
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
  checkTree(child, path);
  path.pop();
}

function hasPrototype(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "prototype");
}
