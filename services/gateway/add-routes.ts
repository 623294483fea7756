import type { IncomingMessage, ServerResponse } from "node:http";
import fastifyCors from "@fastify/cors";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  onRequestHookHandler,
  RawServerDefault,
} from "fastify";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { openAnswerAccount } from "#shared/answers/answer-settings.ts";
import { a2aRoutes } from "./a2a/a2a-routes.ts";
import { enforceAccess } from "./access/enforce-access.ts";
import { markForeign } from "./access/foreign-requests.ts";
import { KnownApps } from "./access/known-apps.ts";
import { type AppRulesReader, openAppRules } from "./access/open-app-rules.ts";
import { requestPrincipal } from "./access/request-principal.ts";
import { accessOf, assertAccess, isPublic, PUBLIC } from "./access/route-access.ts";
import { runRecordsOf } from "./audit/run-records.ts";
import type { GatewayDeps, RouteDeps } from "./deps.ts";
import { assertBound } from "./http/answer-bound.ts";
import { answerHeaders } from "./http/answer-headers.ts";
import { createErrorHandler } from "./http/errors.ts";
import { AnswerLimits } from "./http/limit-answers.ts";
import { observeRequests } from "./http/observe-requests.ts";
import { createRequestId } from "./http/request-id.ts";
import { enterRequestScope, type RequestTraces } from "./http/request-scope.ts";
import { RouteTable } from "./http/route-table.ts";
import { StreamSlots } from "./http/stream-slots.ts";
import { authenticateRequests } from "./identity/authenticate-requests.ts";
import { inboxRoutes } from "./inbox/inbox-routes.ts";
import { liveRoutes } from "./live/live-routes.ts";
import { liveTicketRoutes, ticketAuthenticator } from "./live/live-tickets.ts";
import { corsOptions } from "./origins/cors.ts";
import { originGuard } from "./origins/origin-guard.ts";
import { protectAssistant } from "./protect-assistant.ts";
import { BodyBudget, publicBodyLimit } from "./requests/body-budget.ts";
import { addDefaultAppRoutes } from "./requests/default-app-routes.ts";
import { addJsonBody } from "./requests/json-body.ts";
import type { ShapeTypeProvider, TypedRoutes } from "./requests/typed-routes.ts";
import { compileValidator } from "./requests/validation.ts";
import { agentTestRoutes } from "./routes/agent-tests.ts";
import { apiKeyRoutes } from "./routes/api-keys.ts";
import { artifactRoutes } from "./routes/artifacts.ts";
import { backgroundRunRoutes } from "./routes/background-runs.ts";
import { builderRoutes } from "./routes/builder.ts";
import { consoleRoutes } from "./routes/console.ts";
import { credentialRoutes } from "./routes/credentials.ts";
import { devUiRoutes } from "./routes/dev-ui.ts";
import { evalJobRoutes } from "./routes/eval-jobs.ts";
import { evalRunRoutes } from "./routes/eval-runs.ts";
import { evalRoutes } from "./routes/evals.ts";
import { graphRoutes } from "./routes/graphs.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { openApiRoutes } from "./routes/openapi.ts";
import { runRoutes } from "./routes/runs.ts";
import { serverRoutes } from "./routes/server.ts";
import { sessionStreamRoutes } from "./routes/session-stream.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { tenantRoutes } from "./routes/tenants.ts";
import { traceRoutes } from "./routes/traces.ts";
import { usageRoutes } from "./routes/usage.ts";
import { nameApps } from "./runs/name-apps.ts";
import { scheduleRoutes } from "./schedules/schedule-routes.ts";
import { askToSignIn } from "./sign-in/ask-to-sign-in.ts";
import { openSignIn } from "./sign-in/open-sign-in.ts";
import { answersOf } from "./streams/answers-of.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";

/** An instance of the framework that holds the routes: a server, or a part of one below a prefix. */
export type Gateway = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ShapeTypeProvider
>;

/** The routes of one resource, with their schemas beside the handlers. */
export type RoutePlugin = (deps: RouteDeps) => TypedRoutes;

// The first one describes the routes of the later ones.
const ROUTES: readonly RoutePlugin[] = [
  openApiRoutes,
  serverRoutes,
  sessionRoutes,
  runRoutes,
  backgroundRunRoutes,
  inboxRoutes,
  scheduleRoutes,
  webhookRoutes,
  sessionStreamRoutes,
  liveRoutes,
  liveTicketRoutes,
  mcpRoutes,
  a2aRoutes,
  memoryRoutes,
  credentialRoutes,
  artifactRoutes,
  traceRoutes,
  usageRoutes,
  graphRoutes,
  evalRoutes,
  evalRunRoutes,
  evalJobRoutes,
  builderRoutes,
  agentTestRoutes,
  apiKeyRoutes,
  tenantRoutes,
  signInRoutes,
  consoleRoutes,
  devUiRoutes,
];

/**
 * Adds all routes, with their hooks, parsers, error handler and answer to unknown paths, to this instance alone.
 * `first` run before the checks of a request and after its answer's headers are set. `app` has no other routes.
 */
export async function addRoutes(
  app: Gateway,
  given: GatewayDeps,
  first: readonly onRequestHookHandler[] = [],
): Promise<void> {
  const questions: QuestionWatch = {};
  const { webhooks, ...deps } = await withWebhooks(app, await withQuestions(given, questions));
  const { config, logger, ids, clock, requestObserver } = deps;
  const mountPath = trimEndOf(app.prefix, "/");
  app.setGenReqId(createRequestId(ids));
  app.setErrorHandler(createErrorHandler(deps, deps.errorDetail));
  app.setValidatorCompiler(compileValidator);
  // Response schemas only document: the handlers serialise their answers once, themselves.
  app.setSerializerCompiler(() => JSON.stringify);
  addJsonBody(app, config, new BodyBudget(config));

  const publishedPrefix = trimEndOf(config.PATH_PREFIX, "/");
  const table = new RouteTable(publishedPrefix);
  const answers = openAnswerAccount(config);
  const limits = new AnswerLimits({ config, logger, answersOf: (request) => answersOf({ answers }, request) });
  app.addHook("onRoute", (route) => {
    // One route for both: the framework's own HEAD routes would double the work of a start.
    if (route.method === "GET" && route.exposeHeadRoute !== false) route.method = ["GET", "HEAD"];
    route.bodyLimit ??= accessOf(route.schema) === PUBLIC ? publicBodyLimit(config) : config.MAX_BODY_BYTES;
    table.add(route, app.prefix);
    assertAccess(route, app.prefix);
    assertBound(route, app.prefix);
    limits.addTo(route);
  });
  app.setNotFoundHandler((request, reply) => table.answerUnknown(request, reply));

  const origins = { ...config, mountPath };
  app.addHook("onRequest", answerHeaders(origins));
  const traces: RequestTraces | undefined = deps.requestScope?.tracer === undefined ? undefined : new WeakMap();
  if (requestObserver !== undefined) app.addHook("onRequest", observeRequests(requestObserver, clock, logger, traces));
  limits.watch(app);
  for (const hook of first) app.addHook("onRequest", hook);
  app.addHook("onRequest", originGuard({ config: origins, logger, clock }));
  const cors = corsOptions(origins);
  // A program that mounts the routes may have the plugin already, which then answers for these routes too.
  if (cors !== undefined && !app.hasRequestDecorator("corsPreflightEnabled")) await app.register(fastifyCors, cors);
  // After the answers to preflights, which have no credentials.
  const publicPath = publishedPrefix + mountPath;
  const { apiKeys, signInProviders: providers = [], endedSessions } = deps;
  const signIn = await openSignIn({ config, apiKeys, providers, endedSessions, publicPath, clock, ids, logger });
  // Credentials in a header count before a cookie.
  const authenticators = deps.authenticators?.concat(
    signIn?.authenticator ?? [],
    deps.liveRunner === undefined ? [] : ticketAuthenticator(deps.idempotencyStore, clock),
  );
  app.addHook("onRequest", authenticateRequests({ config, authenticators, isPublic }));
  const isProtected = deps.authenticators !== undefined;
  const appRules = await openAppRules(deps);
  const knownApps = new KnownApps(deps.runnerService, clock);
  // Without an editor here, only runners elsewhere can have the assistant.
  const isOffered = deps.builder !== undefined;
  if (isOffered || deps.hasRemoteRunners === true) protectAssistant(app, { isOffered, appRules });
  if (isProtected) enforceAccess(app, { defaultAppName: config.DEFAULT_APP_NAME, appRules, knownApps });
  const { quotas } = deps;
  // Loaded only by servers with quotas.
  if (quotas !== undefined) {
    const { limitRequests } = await import("./quota/limit-requests.ts");
    limitRequests(app, { quotas, defaultAppName: config.DEFAULT_APP_NAME });
  }
  const { tracer, signsPrincipals = false } = deps.requestScope ?? {};
  const hasPrincipal = isProtected || signsPrincipals;
  if (tracer !== undefined || hasPrincipal || deps.auditor !== undefined)
    app.addHook(
      "preHandler",
      enterRequestScope({
        tracer,
        trustsTraceParent: config.TRUST_TRACEPARENT,
        traces,
        principalOf: hasPrincipal ? (request) => requestPrincipal(request, appRules) : undefined,
        ...(deps.auditor !== undefined && {
          onForeign: markForeign,
          onRun: (request: FastifyRequest, runId: string) => runRecordsOf(request)?.started({ runId }),
          onEvaluation: (request: FastifyRequest, jobId: string) => runRecordsOf(request)?.started({ jobId }),
        }),
      }),
    );
  if (deps.auditor !== undefined) {
    const { auditRequests } = await import("./audit/audit-requests.ts");
    auditRequests(app, { auditor: deps.auditor, clock });
  }

  if (config.DEFAULT_APP_NAME !== "") addDefaultAppRoutes(app, { appName: config.DEFAULT_APP_NAME, mountPath });
  const streamSlots = new StreamSlots(config.MAX_STREAMS_PER_USER, quotas);
  const reachable = isProtected ? await guarded(deps) : deps;
  const routeDeps: RouteDeps = {
    ...reachable,
    runnerService: nameApps(reachable.runnerService),
    unguarded: deps,
    streamSlots,
    answers,
    signIn,
    pageHook: authenticators && askToSignIn({ authenticators, address: signIn?.address, mountPath }),
    publicPath,
    webhooks,
  };
  // Loaded only by servers that delete what is too old; others have no timer.
  if (config.RETENTION_FILE !== "") {
    const [{ openRetentionRules }, { RetentionSchedule }] = await Promise.all([
      import("./retention/open-retention.ts"),
      import("./retention/retention-schedule.ts"),
    ]);
    const schedule = new RetentionSchedule(deps, { rules: await openRetentionRules(deps) });
    app.addHook("onClose", () => schedule[Symbol.asyncDispose]());
  }
  const scheduler = await openScheduler(app, routeDeps, appRules);
  await openExpirer(app, routeDeps, questions);
  // Called, and not registered as plugins: the encapsulation of plugins takes a third of the time of adding a route.
  for (const routes of ROUTES) await routes({ ...routeDeps, scheduler })(app, {});
}

/** Loaded only by servers that have webhooks: their runs are noted before they start. */
async function withWebhooks(app: Gateway, deps: GatewayDeps): Promise<GatewayDeps & Pick<RouteDeps, "webhooks">> {
  const { webhookStore: store } = deps;
  if (store === undefined) return deps;
  const { openWebhooks } = await import("./webhooks/open-webhooks.ts");
  const webhooks = openWebhooks(deps, store);
  const [{ appWebhooks }, { openWebhookSecrets }] = await Promise.all([
    import("./webhooks/app-webhooks.ts"),
    import("./webhooks/webhook-secrets.ts"),
  ]);
  const secrets = await openWebhookSecrets(deps);
  const ofApps = appWebhooks(deps, { store, secrets, onChange: () => webhooks.look() });
  app.addHook("onReady", async () => {
    ofApps.start();
    webhooks.look();
  });
  app.addHook("onClose", async () => {
    await ofApps.stop();
    await webhooks.close();
  });
  return { ...deps, ...webhooks.runners, webhooks };
}

/** Calls the expirer of questions, once there is one. */
interface QuestionWatch {
  look?: () => void;
}

/** Loaded only by servers that keep times of questions: their runs are noted before they start. */
async function withQuestions(deps: GatewayDeps, questions: QuestionWatch): Promise<GatewayDeps> {
  const { inboxStore: store } = deps;
  if (store === undefined) return deps;
  const { watchQuestions } = await import("./inbox/watch-questions.ts");
  return { ...deps, ...watchQuestions(deps, store, () => questions.look?.()) };
}

async function openExpirer(app: Gateway, deps: RouteDeps, questions: QuestionWatch): Promise<void> {
  const { inboxStore: store } = deps.unguarded;
  if (store === undefined) return;
  const { InboxExpirer } = await import("./inbox/inbox-expirer.ts");
  const isShared = deps.config.INBOX !== "memory";
  const expirer = new InboxExpirer(deps, { store, isShared });
  // A shared store is looked at every few seconds in any case.
  if (!isShared) questions.look = () => expirer.look();
  app.addHook("onReady", async () => expirer.look());
  app.addHook("onClose", () => expirer.stop());
}

/** Loaded only by servers that have schedules; others have no timer. */
async function openScheduler(app: Gateway, deps: RouteDeps, appRules: AppRulesReader): Promise<RouteDeps["scheduler"]> {
  const { scheduleStore: store } = deps.unguarded;
  if (store === undefined) return undefined;
  const [{ Scheduler }, { appSchedules }] = await Promise.all([
    import("./schedules/scheduler.ts"),
    import("./schedules/app-schedules.ts"),
  ]);
  const scheduler = new Scheduler(deps, { store, isShared: deps.config.SCHEDULES !== "memory", appRules });
  const ofApps = appSchedules(deps.unguarded, { store, onChange: () => scheduler.look() });
  app.addHook("onReady", async () => {
    ofApps.start();
    scheduler.look();
  });
  app.addHook("onClose", async () => {
    await ofApps.stop();
    await scheduler.stop();
  });
  return scheduler;
}

async function guarded(deps: GatewayDeps): Promise<GatewayDeps> {
  const { guardPorts } = await import("./access/guard-ports.ts");
  return guardPorts(deps);
}
