import type { FastifyCorsOptions } from "@fastify/cors";
import type { GatewayConfig } from "./config.ts";
import { createOriginMatcher } from "./origin-matcher.ts";

type CorsConfig = Pick<
  GatewayConfig,
  "CORS_ORIGINS" | "CORS_METHODS" | "CORS_HEADERS" | "CORS_ALLOW_CREDENTIALS" | "CORS_MAX_AGE_SECONDS"
>;

/** What other origins may do, as @fastify/cors wants it; undefined when no other origin may do anything. */
export function corsOptions(config: CorsConfig): FastifyCorsOptions | undefined {
  const { CORS_ORIGINS, CORS_METHODS, CORS_HEADERS, CORS_ALLOW_CREDENTIALS, CORS_MAX_AGE_SECONDS } = config;
  if (CORS_ORIGINS.length === 0) return undefined;
  const allowsAll = CORS_ORIGINS.includes("*") && !CORS_ALLOW_CREDENTIALS;
  const isAllowed = createOriginMatcher(CORS_ORIGINS);
  return {
    // Browsers refuse `*` together with credentials: then the caller's own origin is named.
    origin: allowsAll ? "*" : (origin, done) => done(null, origin !== undefined && isAllowed(origin) ? origin : false),
    methods: [...CORS_METHODS],
    // `*` does not cover Authorization, and means nothing with credentials: the headers asked for are named instead.
    ...(!CORS_HEADERS.includes("*") && { allowedHeaders: [...CORS_HEADERS] }),
    exposedHeaders: ["x-request-id", "x-next-page-token"],
    credentials: CORS_ALLOW_CREDENTIALS,
    maxAge: CORS_MAX_AGE_SECONDS,
    // Some clients of the family take nothing but 200 for a success.
    optionsSuccessStatus: 200,
    strictPreflight: false,
  };
}
