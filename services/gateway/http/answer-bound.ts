import type { FastifyRequest, FastifySchema, RouteOptions } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { GatewayConfig } from "../config.ts";

/**
 * What bounds the memory that one answer of a route takes. `small` answers are shorter than 64 KiB by constants;
 * `of-the-operator` are made of the operator's files and agents; `in-parts` are written as they are read, each part in room
 * of the account; `of-a-run` are what a run has said last, which its runner limits. A function returns the bytes, all copies
 * counted, for which there has to be room before the handler loads anything.
 */
export type AnswerBound = "small" | "of-the-operator" | "in-parts" | "of-a-run" | AnswerBytes;

export type AnswerBytes = (config: GatewayConfig, request: FastifyRequest) => number;

interface BoundedSchema extends FastifySchema {
  readonly answer: AnswerBound;
}

/** The bound in a route's schema. */
export function boundOf(schema: FastifySchema | undefined): AnswerBound | undefined {
  // Each route that is added has been checked to have one.
  return (schema as Partial<BoundedSchema> | undefined)?.answer;
}

/** Throws if nothing bounds the route's answers: a server with such a route must not start. */
export function assertBound({ url, method, schema }: AddedRoute, prefix = ""): void {
  if (boundOf(schema) !== undefined || (method === "OPTIONS" && url === `${prefix}*`)) return;
  throw new PlatformError(
    "CONFIGURATION",
    `The route ${[method].flat().join(", ")} ${url} declares no bound of its answers.`,
  );
}

type AddedRoute = Pick<RouteOptions, "url" | "method" | "schema">;

/** State of the session, the user and the app, as values and as text. */
export function stateBytes({ MAX_STATE_BYTES }: Pick<GatewayConfig, "MAX_STATE_BYTES">): number {
  return 3 * 2 * MAX_STATE_BYTES;
}

/** A record that has what a body has asked for, as bytes, values and text. */
export function recordBytes({ MAX_BODY_BYTES }: Pick<GatewayConfig, "MAX_BODY_BYTES">): number {
  return 3 * MAX_BODY_BYTES;
}

/** The body of a request as text and values, and its echo. */
export function echoBytes({ headers }: Pick<FastifyRequest, "headers">): number {
  return 4 * Number(headers["content-length"] ?? 0);
}

/** Names, times and counts of one entry of a list. */
export const ENTRY_BYTES = 2048;

/** A session that is read as a whole, for its copy in memory or in an evaluation set. */
export const WHOLE_SESSION_BYTES: number = 32 * 1024 * 1024;
