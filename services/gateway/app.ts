import fastify from "fastify";
import { addRoutes, type Gateway } from "./add-routes.ts";
import type { GatewayDeps } from "./deps.ts";
import { openGrpcPort } from "./grpc-port.ts";
import { ANSWER_HEADERS } from "./http/answer-headers.ts";
import { createErrorHandler } from "./http/errors.ts";
import { limitConnections } from "./http/limit-connections.ts";
import { refuseBadRequests } from "./http/refuse-bad-requests.ts";
import { limitHeadersTime, requestTimeoutOptions } from "./http/request-timeouts.ts";
import { createRewriteUrl } from "./http/rewrite-url.ts";
import { liveUpgrades } from "./live/live-routes.ts";
import type { ShapeTypeProvider } from "./requests/typed-routes.ts";

/**
 * The HTTP server, ready for `listen` or `inject`: the routes at the root, and the options that only a whole server
 * has.
 */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, ids } = deps;
  const handleError = createErrorHandler(deps, deps.errorDetail);
  const timeouts = requestTimeoutOptions(config);
  const rewriting = createRewriteUrl(config);
  const app = fastify({
    bodyLimit: config.MAX_BODY_BYTES,
    requestIdHeader: false,
    // Closing waits for answers and streams in progress, not for idle connections.
    forceCloseConnections: "idle",
    // What arrives on connections that are still used is answered too, and is the last on its connection.
    return503OnClosing: false,
    // The routes of GET are those of HEAD too.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    clientErrorHandler: refuseBadRequests(ids),
    ...timeouts,
    // Hooks do not run for these requests.
    frameworkErrors: (error, request, reply) => void handleError(error, request, reply.headers(ANSWER_HEADERS)),
    ...rewriting,
    http: { ...timeouts.http, ...liveUpgrades(rewriting.rewriteUrl) },
  }).withTypeProvider<ShapeTypeProvider>();

  limitHeadersTime(app, config);
  const connections = limitConnections(app, config.MAX_CONNECTIONS);
  await addRoutes(app, deps, connections === undefined ? [] : [connections]);
  await openGrpcPort(app, deps);
  await app.ready();
  return app;
}

/** Stands in for Fastify's own compilers, so that their 85 modules are not loaded. Never called. */
function unused(): never {
  throw new Error("Routes have the compilers that are set.");
}

// 256 bytes of UTF-8, each percent-encoded. The identifier check refuses longer ones, not the router.
const MAX_PARAM_LENGTH = 8 * 1024;
