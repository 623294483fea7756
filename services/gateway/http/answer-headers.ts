import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { GatewayConfig } from "../config.ts";
import { createOriginMatcher } from "../origins/origin-matcher.ts";

/**
 * Every answer: browsers take it as the type that it says, no other site may embed it, and nobody keeps it. A file of the UI says
 * itself how long it may be kept.
 */
export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** Sets these headers before anything else happens to a request; an origin that CORS allows may embed the answer. */
export function answerHeaders(config: Pick<GatewayConfig, "CORS_MAPPING" | "CORS_ORIGINS">): onRequestHookHandler {
  const isAllowed = config.CORS_ORIGINS.length === 0 ? undefined : createOriginMatcher(config);
  return (request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    const { origin } = request.headers;
    if (origin !== undefined && isAllowed?.(origin, request.url) === true)
      reply.header("cross-origin-resource-policy", "cross-origin");
    done();
  };
}

/** A body of which more may come than anybody would wait for; one that is shorter is read to its end for the next request. */
const LONG_BODY_BYTES = 64 * 1024;

/** Ends the connection after an answer to a request whose body is not wanted, which would be read for as long as the client sends. */
export function endUnreadBody({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (raw.complete !== false) return;
  const isLong = headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > LONG_BODY_BYTES;
  if (isLong) reply.header("connection", "close");
}
