import type { FastifyCorsOptions } from "@fastify/cors";
import type { FastifyRequest } from "fastify";
import type { GatewayConfig } from "../config.ts";
import { createOriginMatcher, EVERY_PATH, type MatcherConfig } from "./origin-matcher.ts";

type CorsConfig = MatcherConfig &
  Pick<GatewayConfig, "CORS_METHODS" | "CORS_HEADERS" | "CORS_ALLOW_CREDENTIALS" | "CORS_MAX_AGE_SECONDS">;

/** Permissions of other origins in the form of @fastify/cors; undefined if they have none. */
export function corsOptions(config: CorsConfig): FastifyCorsOptions | undefined {
  const { CORS_MAPPING, CORS_ORIGINS, CORS_METHODS, CORS_HEADERS } = config;
  if (CORS_ORIGINS.length === 0) return undefined;
  const options: FastifyCorsOptions = {
    methods: [...CORS_METHODS],
    // `*` does not cover Authorization, and means nothing with credentials: the headers asked for are named instead.
    ...(CORS_HEADERS.includes("*") ? {} : { allowedHeaders: [...CORS_HEADERS] }),
    exposedHeaders: ["x-request-id", "x-next-page-token", "x-run-id"],
    credentials: config.CORS_ALLOW_CREDENTIALS,
    maxAge: config.CORS_MAX_AGE_SECONDS,
    // Some clients of ADK's servers accept no success status but 200.
    optionsSuccessStatus: 200,
    strictPreflight: false,
  };
  // Browsers refuse `*` together with credentials: then the caller's own origin is named.
  const allowsAll = CORS_ORIGINS.includes("*") && !config.CORS_ALLOW_CREDENTIALS;
  if (allowsAll && CORS_MAPPING === EVERY_PATH) return { ...options, origin: "*" };
  const isAllowed = createOriginMatcher(config);
  return {
    delegator: ({ headers: { origin }, url }: FastifyRequest, done) => {
      done(null, { ...options, origin: origin !== undefined && isAllowed(origin, url) ? origin : false });
    },
  };
}
