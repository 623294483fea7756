import type { IncomingMessage, ServerOptions } from "node:http";
import fastifyWebsocket from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import { currentCallScope, inThisCallScope } from "#shared/security/call-scope.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { GatewayConfig } from "../config.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import { chooseProtocol } from "../identity/handshake-credentials.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { answersOf } from "../streams/answers-of.ts";
import { LiveAccount } from "./live-account.ts";
import { EXPIRED, LiveCall, RESTARTS } from "./live-call.ts";
import { LiveQuery, placeOf, sessionOf, settingsOf } from "./live-query.ts";
import { admitLive, startOfLive } from "./start-live.ts";

const LIVE = described({
  operationId: "runLive",
  answer: "small",
  access: { scope: "runs:write", owner: "query-user" },
  tags: ["runs"],
  summary: "Run an agent over a WebSocket",
  description:
    "The client sends live requests as JSON in text frames, with `content`, `blob`, `activityStart`, `activityEnd`, `audioStreamEnd`, `partial`, `stateDelta` and `close`, in camelCase or snake_case. Each frame of the server is one event. A socket that is closed with 1012 or 1013 can be opened again.",
  errors: ["UPGRADE_REQUIRED", "NOT_IMPLEMENTED"],
  querystring: LiveQuery,
  parameterExamples: { app_name: "weather", user_id: "me", session_id: "first" },
  canBeTried: false,
  response: answers({}),
});

type RewriteUrl = (request: Pick<IncomingMessage, "url">) => string;

/**
 * Upgrades only handshakes for the live route, after the path is rewritten. All other requests are answered as if they
 * had asked for no upgrade. Without effect on releases of Node that have no `shouldUpgradeCallback`.
 */
export function liveUpgrades(
  rewriteUrl: RewriteUrl = ({ url = "/" }) => url,
): Pick<ServerOptions, "shouldUpgradeCallback"> {
  return {
    shouldUpgradeCallback: (request) =>
      /^\/run_live(?:\?|$)/.test(rewriteUrl(request)) &&
      request.headers.upgrade?.toLowerCase() === "websocket" &&
      typeof request.headers["sec-websocket-key"] === "string",
  };
}

/** Live runs: one WebSocket each. */
export function liveRoutes(deps: RouteDeps): TypedRoutes {
  const { config, liveRunner } = deps;
  return async (app) => {
    if (liveRunner === undefined) {
      app.get("/run_live", { schema: LIVE }, () => {
        throw new PlatformError("NOT_IMPLEMENTED", "Live runs are not offered by this server; use /run_sse.");
      });
      return;
    }
    // The upgrades of a program's server are the program's, unless it has the plugin, which leaves others alone.
    const isMounted = app.prefix !== "";
    if (isMounted && !app.hasDecorator("websocketServer")) {
      app.get("/run_live", { schema: LIVE }, () => {
        const how = 'await app.register(import("@fastify/websocket")) before the server\'s plugin';
        throw new PlatformError("NOT_IMPLEMENTED", `This program has no WebSockets: ${how}.`);
      });
      return;
    }
    const calls = new LiveCalls(config.LIVE_PING_MS);
    const account = new LiveAccount(config.LIVE_BUFFER_BYTES);
    // A part of its own, because the plugin adds hooks to all routes of the part that it is in.
    await app.register(async (part) => {
      part.addHook("preClose", (done) => {
        calls.close();
        done();
      });
      if (!isMounted) await openWebSockets(part, config);
      part.route({
        method: "GET",
        url: "/run_live",
        schema: LIVE,
        // The query is read before the upgrade, so that a wrong one is answered as HTTP.
        preHandler: (request, _reply, done) => {
          readQuery(request, config.DEFAULT_APP_NAME);
          done();
        },
        handler: () => {
          throw new PlatformError(
            "UPGRADE_REQUIRED",
            "This route is a WebSocket: connect to it with one, or use /run_sse.",
          );
        },
        wsHandler: (socket, request) => calls.hold(openCall({ deps, runner: liveRunner, account }, socket, request)),
      });
    });
  };
}

/** An accepted handshake has no such limit, as `ws` sets the socket's time-out to none. */
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** The parser of a connection that asks for an upgrade is gone, so that nothing else would close the connection. */
function endRefusedHandshakes(part: Pick<FastifyInstance, "addHook" | "server">): void {
  part.server.on("upgrade", ({ socket }) => {
    socket.setTimeout(HANDSHAKE_TIMEOUT_MS, () => socket.destroy());
  });
  part.addHook("onResponse", ({ raw }, reply, done) => {
    if (raw.headers.upgrade !== undefined && reply.raw.statusCode >= 400) raw.socket.destroySoon();
    done();
  });
}

async function openWebSockets(part: FastifyInstance, { LIVE_MAX_FRAME_BYTES }: GatewayConfig): Promise<void> {
  const options = { maxPayload: LIVE_MAX_FRAME_BYTES, perMessageDeflate: false, handleProtocols: chooseProtocol };
  await part.register(fastifyWebsocket, {
    options,
    // The calls of this server are closed by their own hook.
    preClose: (done) => done(),
    errorHandler: (_error, socket) => socket.terminate(),
  });
  endRefusedHandshakes(part);
}

function readQuery({ query }: FastifyRequest, defaultAppName: string) {
  const asked = query as LiveQuery;
  return { session: sessionOf(asked, defaultAppName), settings: settingsOf(asked), place: placeOf(asked) };
}

interface CallContext {
  readonly deps: RouteDeps;
  readonly runner: LiveRunnerService;
  readonly account: LiveAccount;
}

function openCall({ deps, runner, account }: CallContext, socket: WebSocket, request: FastifyRequest): LiveCall {
  const { session, settings, place } = readQuery(request, deps.config.DEFAULT_APP_NAME);
  const closing = {
    request,
    raw: {
      get destroyed() {
        return socket.readyState > socket.OPEN;
      },
      once: (_event: "close", listener: () => void) => void socket.once("close", listener),
    },
  };
  const answersOfUser = answersOf(deps, request);
  const ended = new AbortController();
  socket.once("close", () => ended.abort());
  answersOfUser.begin(ended.signal);
  const call = new LiveCall(deps, {
    socket,
    connection: request.raw.socket,
    share: account.open(),
    runner,
    answers: answersOfUser,
    place,
    start: async () => {
      await deps.streamSlots.take(session, closing);
      return startOfLive(deps, { session, settings, keyId: callerOf(request).keyId, lostRunId: place?.runId });
    },
    admit: inThisCallScope((message: LiveRequest) => admitLive(deps, session, message)),
    onRun: ({ runId }) => currentCallScope()?.onRun?.(runId),
  });
  whenCallerEnds(closing, deps, () => call.close(EXPIRED));
  return call;
}

/** The calls of this process, with one heartbeat for all. */
class LiveCalls {
  readonly #open = new Set<LiveCall>();
  readonly #pingMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(pingMs: number) {
    this.#pingMs = pingMs;
  }

  hold(call: LiveCall): void {
    this.#open.add(call);
    this.#timer ??= setInterval(() => this.#beat(), this.#pingMs).unref();
    void call.hold().finally(() => {
      this.#open.delete(call);
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Closes all, so that their clients connect to another process. */
  close(): void {
    for (const call of this.#open) call.close(RESTARTS);
  }

  #beat(): void {
    for (const call of this.#open) call.beat();
  }
}
