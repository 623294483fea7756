import type { IncomingMessage, ServerResponse } from "node:http";
import fastifyCors from "@fastify/cors";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type RawServerDefault,
} from "fastify";
import type { GatewayDeps, RouteDeps } from "./deps.ts";
import { ANSWER_HEADERS, answerHeaders } from "./http/answer-headers.ts";
import { createErrorHandler } from "./http/errors.ts";
import { limitConnections } from "./http/limit-connections.ts";
import { limitLongAnswers } from "./http/limit-long-answers.ts";
import { observeRequests } from "./http/observe-requests.ts";
import { refuseBadRequests } from "./http/refuse-bad-requests.ts";
import { createRequestId } from "./http/request-id.ts";
import { enterRequestScope, type RequestTraces } from "./http/request-scope.ts";
import { limitHeadersTime, requestTimeoutOptions } from "./http/request-timeouts.ts";
import { createRewriteUrl } from "./http/rewrite-url.ts";
import { RouteTable } from "./http/route-table.ts";
import { StreamSlots } from "./http/stream-slots.ts";
import { corsOptions } from "./origins/cors.ts";
import { liveUpgrades, refuseLive } from "./origins/live-refusal.ts";
import { createOriginCheck, originGuard } from "./origins/origin-guard.ts";
import { BodyBudget } from "./requests/body-budget.ts";
import { addJsonBody } from "./requests/json-body.ts";
import type { ShapeTypeProvider } from "./requests/typed-routes.ts";
import { compileValidator } from "./requests/validation.ts";
import { agentTestRoutes } from "./routes/agent-tests.ts";
import { artifactRoutes } from "./routes/artifacts.ts";
import { backgroundRunRoutes } from "./routes/background-runs.ts";
import { builderRoutes } from "./routes/builder.ts";
import { consoleRoutes } from "./routes/console.ts";
import { devUiRoutes } from "./routes/dev-ui.ts";
import { evalRoutes } from "./routes/evals.ts";
import { graphRoutes } from "./routes/graphs.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { openApiRoutes } from "./routes/openapi.ts";
import { runRoutes } from "./routes/runs.ts";
import { serverRoutes } from "./routes/server.ts";
import { sessionStreamRoutes } from "./routes/session-stream.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { traceRoutes } from "./routes/traces.ts";

/** The HTTP server, ready for `listen` or `inject`. */
export type Gateway = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ShapeTypeProvider
>;

/** The routes of one resource, with their schemas beside the handlers. */
export type RoutePlugin = (deps: RouteDeps) => FastifyPluginAsync;

// The first one describes the routes of those after it.
const ROUTES: readonly RoutePlugin[] = [
  openApiRoutes,
  serverRoutes,
  sessionRoutes,
  runRoutes,
  backgroundRunRoutes,
  sessionStreamRoutes,
  memoryRoutes,
  artifactRoutes,
  traceRoutes,
  graphRoutes,
  evalRoutes,
  builderRoutes,
  agentTestRoutes,
  consoleRoutes,
  devUiRoutes,
];

export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { config, logger, ids, clock, requestObserver } = deps;
  const handleError = createErrorHandler(logger, deps.errorDetail);
  const timeouts = requestTimeoutOptions(config);
  const rewriting = createRewriteUrl(config);
  const app = fastify({
    bodyLimit: config.MAX_BODY_BYTES,
    genReqId: createRequestId(ids),
    requestIdHeader: false,
    // Closing waits for answers and streams in progress, not for idle connections.
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    clientErrorHandler: refuseBadRequests(ids),
    ...timeouts,
    // Hooks do not get these requests.
    frameworkErrors: (error, request, reply) => void handleError(error, request, reply.headers(ANSWER_HEADERS)),
    ...rewriting,
    http: { ...timeouts.http, ...liveUpgrades(rewriting.rewriteUrl) },
  }).withTypeProvider<ShapeTypeProvider>();

  limitHeadersTime(app, config);
  app.setErrorHandler(handleError);
  app.setValidatorCompiler(compileValidator);
  // Response schemas only document: the handlers serialise their answers once, themselves.
  app.setSerializerCompiler(() => JSON.stringify);
  addJsonBody(app, config, new BodyBudget(config));
  refuseLive(app.server, createOriginCheck(config));

  const table = new RouteTable();
  app.addHook("onRoute", (route) => table.add(route));
  app.setNotFoundHandler((request, reply) => table.answerUnknown(request, reply));

  app.addHook("onRequest", answerHeaders(config));
  const traces: RequestTraces | undefined = deps.requestScope?.tracer === undefined ? undefined : new WeakMap();
  if (requestObserver !== undefined) app.addHook("onRequest", observeRequests(requestObserver, clock, logger, traces));
  limitLongAnswers(app, deps);
  limitConnections(app, config.MAX_CONNECTIONS);
  app.addHook("onRequest", originGuard(deps));
  if (deps.requestScope !== undefined)
    app.addHook(
      "preHandler",
      enterRequestScope({
        ...deps.requestScope,
        trustsTraceParent: config.TRUST_TRACEPARENT,
        ...(traces !== undefined && { traces }),
      }),
    );
  const cors = corsOptions(config);
  if (cors !== undefined) await app.register(fastifyCors, cors);

  const routeDeps = { ...deps, streamSlots: new StreamSlots(config.MAX_STREAMS_PER_USER) };
  for (const routes of ROUTES) await app.register(routes(routeDeps));
  await app.ready();
  return app;
}

/** Replaces Fastify's own compilers, which it would load first: 85 modules. */
function unused(): never {
  throw new Error("Routes have the compilers that are set.");
}

// 256 bytes of UTF-8, each percent-encoded. The identifier check refuses longer ones, not the router.
const MAX_PARAM_LENGTH = 8 * 1024;
