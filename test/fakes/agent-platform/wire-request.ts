import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "#kit/platform/clock.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { WireProblem } from "./wire-shapes.ts";

export interface WireRequest {
  readonly method: string;
  /** Below the version. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

/** The parts of the fake that its resources use. */
export interface PlatformParts {
  readonly clock: Clock;
  /** A part of the items, and the token of the next part, which is refused for another list. */
  page(request: WireRequest, items: readonly JsonObject[], member: string): JsonObject;
  /** An operation below a resource, whose effect takes place after some further requests. */
  operation(parent: string, effect: () => JsonObject | undefined): JsonObject;
}

/** The body as an object that a shape has accepted. */
export function bodyOf({ body }: WireRequest, shape: (value: unknown, path: string) => void): JsonObject {
  shape(body, "");
  if (!isJsonObject(body)) throw new WireProblem("The body must be an object.");
  return body;
}

/** Throws for a query parameter that the method does not have. */
export function checkQuery({ query }: WireRequest, ...names: readonly string[]): void {
  for (const name of query.keys())
    if (!names.includes(name)) throw new WireProblem(`Unknown name "${name}": Cannot bind query parameter.`);
}
