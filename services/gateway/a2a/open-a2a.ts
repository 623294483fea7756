import { createHash } from "node:crypto";
import type { AgentCard } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import { appNotFound } from "#kit/definitions/loaders/agent-loader.ts";
import type { AppInfo } from "#ports/runs/runner-service.ts";
import type { RouteDeps } from "../deps.ts";
import { createErrorHandler, JSON_TYPE } from "../http/errors.ts";
import { openServerSigner, PUBLIC_KEYS_PATH, type ServerSigner } from "../identity/server-signer.ts";
import { hasCopy } from "../pages/send-static-file.ts";
import { openPushes, type Pushes } from "../push/open-pushes.ts";
import { PageAddress } from "../sign-in/page-address.ts";
import { type A2aVersion, MEDIA_TYPES } from "../tasks/protocol.ts";
import type { A2aCall } from "../tasks/start-task.ts";
import { sendJsonRpcError, sendRestError } from "../tasks/task-errors.ts";
import { TaskHandler } from "../tasks/task-handler.ts";
import { TaskPushes } from "../tasks/task-pushes.ts";
import { agentCard, cardJson } from "./agent-card.ts";
import { openCardFile } from "./card-file.ts";
import { CardSignatures } from "./card-signature.ts";
import { answerHttp, isLegacyPath } from "./http-json.ts";
import { answerJsonRpc } from "./json-rpc.ts";
import { namedVersion, versionOf } from "./version.ts";

type Exchange = (request: FastifyRequest<{ Params: { appName: string } }>, reply: FastifyReply) => Promise<unknown>;

type ErrorHandler = ReturnType<typeof createErrorHandler>;

export interface A2aRoutes {
  /** The error handlers of the bindings. */
  readonly onJsonRpcError: ErrorHandler;
  readonly onHttpError: ErrorHandler;
  /** The card of an app, for anybody. Without a version, the request names it. */
  sendCard(appName: string, request: FastifyRequest, reply: FastifyReply, version?: A2aVersion): Promise<unknown>;
  /** Absent if cards are not signed. */
  readonly publicKeys?: { readonly path: string; send(reply: FastifyReply): FastifyReply };
  readonly jsonRpc: Exchange;
  /** The push notifications of tasks; absent if they are off. */
  readonly pushes: Pushes | undefined;
  /** `path` is what follows the address of the agent. */
  http(path: string): Exchange;
}

/** How long clients and proxies may keep a card, and the keys that it is signed with. */
const CACHE_CONTROL = "public, max-age=300";

/** Opens what the routes of the protocol need: the cards and the operations of the apps in A2A_APPS. */
export async function openA2a(deps: RouteDeps): Promise<A2aRoutes> {
  const { config, publicPath, unguarded, authenticators } = deps;
  const { A2A_APPS, PUBLIC_URL } = config;
  const membersOf = await openCardFile(deps);
  // PUBLIC_URL was checked at the start.
  const address = new PageAddress({ publicUrl: PUBLIC_URL, path: publicPath }, []);
  const isProtected = authenticators !== undefined;

  const assertOffered = (appName: string): void => {
    if (!A2A_APPS.includes("*") && !A2A_APPS.includes(appName)) throw appNotFound(appName);
  };
  const signer = openServerSigner(deps);
  const pushes = deps.pushStore && openPushes(deps, deps.pushStore, signer);
  const signatures = signer && new CardSignatures(signer);
  const baseUrlOf = (request: FastifyRequest): string => address.originOf(request.raw) + address.path;
  const factsOf = (info: AppInfo, request: FastifyRequest) => {
    return { info, baseUrl: baseUrlOf(request), config, isProtected, own: membersOf(info.name) };
  };
  // Clients of 0.3 check another form of the card.
  const signed = (card: AgentCard, request: FastifyRequest, version: A2aVersion): AgentCard =>
    signatures === undefined || version !== "1.0" ? card : signatures.sign(card, baseUrlOf(request));
  const publicCard = async (appName: string, request: FastifyRequest): Promise<AgentCard> =>
    // Whoever lists an app in A2A_APPS publishes its card.
    agentCard(factsOf(await unguarded.runnerService.describeApp(appName), request), "public");
  const extendedCard = async (appName: string, request: FastifyRequest): Promise<AgentCard> => {
    if (!isProtected) throw new UnsupportedOperationError("This agent has no extended card.");
    const card = agentCard(factsOf(await deps.runnerService.describeApp(appName), request), "extended");
    return signed(card, request, versionOf(request));
  };
  const handlerOf = (
    appName: string,
    { request, reply, version }: Pick<A2aCall, "request" | "reply"> & { readonly version: () => A2aVersion },
  ): TaskHandler => {
    assertOffered(appName);
    const { defaultInputModes: own } = membersOf(appName);
    return new TaskHandler(deps, {
      appName,
      // The file was checked when it was read.
      inputModes: (own as readonly string[] | undefined) ?? MEDIA_TYPES,
      pushes: pushes && new TaskPushes(deps, { ...pushes, version, onDue: pushes.look }),
      request,
      reply,
      card: () => publicCard(appName, request),
      extendedCard: () => extendedCard(appName, request),
    });
  };
  return {
    onJsonRpcError: createErrorHandler(deps, deps.errorDetail, sendJsonRpcError),
    onHttpError: createErrorHandler(deps, deps.errorDetail, sendRestError),
    sendCard: async (appName, request, reply, version = namedVersion(request) ?? "1.0") => {
      assertOffered(appName);
      const card = await publicCard(appName, request);
      const tag = tagOf(JSON.stringify(await cardJson(card, version)), signer);
      reply.headers({ etag: tag, "cache-control": CACHE_CONTROL, vary: "a2a-version, host" });
      if (hasCopy(request.headers, tag)) return reply.code(304).send();
      const json = await cardJson(signed(card, request, version), version);
      return reply.type(JSON_TYPE).send(JSON.stringify(json));
    },
    publicKeys: signer && {
      path: PUBLIC_KEYS_PATH,
      send: (reply) => reply.header("cache-control", CACHE_CONTROL).send(signer.publicKeys()),
    },
    jsonRpc: async (request, reply) =>
      answerJsonRpc(deps, handlerOf(request.params.appName, { request, reply, version: () => versionOf(request) }), {
        request,
        reply,
      }),
    http: (path) => async (request, reply) =>
      answerHttp(
        deps,
        handlerOf(request.params.appName, { request, reply, version: () => (isLegacyPath(path) ? "0.3" : "1.0") }),
        { request, reply, path },
      ),
    pushes,
  };
}

/** Gateways with the same key sign a card with different bytes, so that the tag of a signed card is a weak one. */
function tagOf(json: string, signer: ServerSigner | undefined): string {
  const hash = createHash("sha256").update(json);
  if (signer === undefined) return `"${hash.digest("base64url").slice(0, 27)}"`;
  return `W/"${hash.update(signer.keyId).digest("base64url").slice(0, 27)}"`;
}
