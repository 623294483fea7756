import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { createOriginMatcher, type MatcherConfig } from "../origins/origin-matcher.ts";

/**
 * Headers of every answer: browsers use its declared type, no other site may embed it, and no cache keeps it. Files of
 * the UI set their own caching.
 */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Sets these headers before anything else happens to a request; an origin that CORS allows may embed the answer. */
export function answerHeaders(config: MatcherConfig): onRequestHookHandler {
  const isAllowed = config.CORS_ORIGINS.length === 0 ? undefined : createOriginMatcher(config);
  return (request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    const { origin } = request.headers;
    if (origin !== undefined && isAllowed?.(origin, request.url) === true)
      reply.header("cross-origin-resource-policy", "cross-origin");
    done();
  };
}

/**
 * Bodies above this size are not read to their end; a shorter one is, so that the connection serves the next request.
 */
const LONG_BODY_BYTES = 64 * 1024;

/**
 * Closes the connection after an answer to a request whose body is not wanted, because the client could send it without
 * end.
 */
export function endUnreadBody({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete !== false) return;
  const isLong = headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > LONG_BODY_BYTES;
  if (isLong) reply.header("connection", "close");
}
