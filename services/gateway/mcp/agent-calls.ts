import type { FastifyReply, FastifyRequest } from "fastify";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import { type Content, userContent } from "#kit/events/content.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { RouteDeps } from "../deps.ts";
import { callerOf } from "../identity/authenticator.ts";
import { callingSubject } from "../identity/calling-subject.ts";
import { digest, ownKey, readIdempotencyKey } from "../requests/idempotency.ts";
import { newestRun } from "../runs/newest-run.ts";
import { startFollowedRun } from "../runs/start-run.ts";
import { readWaitingCalls } from "../runs/waiting-calls.ts";
import { isOffered } from "./agent-tools.ts";
import { toFunctionResponses } from "./input-requests.ts";
import { McpError } from "./protocol.ts";

/** The user of calls whose credentials name none. */
const USER_WITHOUT_NAME = "mcp";

export interface AgentCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: JsonObject;
}

/** What a call has led to: a run to wait for, or a problem that the calling model can correct. */
export type StartedCall =
  | { readonly kind: "run"; readonly run: RunRecord }
  | { readonly kind: "refused"; readonly problem: string };

/** Starts the run of a call, or the run that answers the questions of an earlier one. */
export async function startCall(deps: RouteDeps, call: AgentCall): Promise<StartedCall> {
  const { name, arguments: args = {}, requestState } = call.params;
  if (typeof name !== "string" || !isOffered(name, deps.config)) throw unknownTool();
  await countForApp(deps, call.request, name);
  if (requestState !== undefined) {
    const first = await findRun(deps, runIdOf(requestState));
    if (first?.session.appName !== name) throw new McpError("INVALID_PARAMS", "`requestState` is not of this call.");
    return { kind: "run", run: await answerRun(deps, call, first) };
  }
  if (!isJsonObject(args)) throw new McpError("INVALID_PARAMS", "`arguments` should be an object.");
  const { request, sessionId } = args;
  if (typeof request !== "string" || request.trim() === "")
    return refuse(deps, name, "`request` should be a text that describes what the agent should do.");
  if (sessionId !== undefined && !isIdentifier(sessionId))
    return refuse(deps, name, "`sessionId` should be the id in the result of an earlier call.");
  const idempotencyKey = keyOf(call.request);
  const { userId = USER_WITHOUT_NAME } = callerOf(call.request);
  // A repeated call finds the session of the first.
  const own = idempotencyKey === undefined ? deps.ids.next() : digest([name, userId, idempotencyKey]).slice(0, 32);
  const session = { appName: name, userId, id: sessionId ?? `mcp-${own}` };
  return { kind: "run", run: await start(deps, call, { session, message: userContent(request), idempotencyKey }) };
}

/** Starts the run with the answers to what the task waits for. Undefined if none of them is open. */
export async function answerTask(deps: RouteDeps, call: AgentCall, first: RunRecord): Promise<RunRecord | undefined> {
  const waiting = await newestRun(deps, first);
  const calls = await readWaitingCalls(deps.sessionService, waiting);
  const responses = toFunctionResponses(call.params["inputResponses"], calls);
  if (responses.length === 0) return undefined;
  const parts = responses.map((functionResponse) => ({ functionResponse }));
  // The same answers, sent twice, are one run.
  const idempotencyKey = ownKey("mcp", [waiting.runId, responses]);
  return start(deps, call, { session: waiting.session, message: { role: "user", parts }, idempotencyKey });
}

/** A run of an offered app that the caller may read; undefined for any other, as for none. */
export async function findRun(deps: RouteDeps, runId: unknown): Promise<RunRecord | undefined> {
  if (!isIdentifier(runId)) return undefined;
  const run = await deps.runJournal.get(runId);
  return run !== undefined && isOffered(run.session.appName, deps.config) ? run : undefined;
}

/**
 * The `requestState` that a client sends back with its answers. It names the run, which the caller must be able to
 * read.
 */
export function stateOf({ runId }: RunRecord): string {
  return Buffer.from(JSON.stringify({ runId })).toString("base64url");
}

/** The problem is a result, which the calling model can correct, only if the tool exists. */
async function refuse({ runnerService }: RouteDeps, name: string, problem: string): Promise<StartedCall> {
  if (!(await runnerService.listApps()).includes(name)) throw unknownTool();
  return { kind: "refused", problem };
}

function unknownTool(): McpError {
  return new McpError("INVALID_PARAMS", "There is no such tool.");
}

async function answerRun(deps: RouteDeps, call: AgentCall, first: RunRecord): Promise<RunRecord> {
  return (await answerTask(deps, call, first)) ?? newestRun(deps, first);
}

async function start(
  deps: RouteDeps,
  { request }: AgentCall,
  given: { readonly session: SessionKey; readonly message: Content; readonly idempotencyKey: string | undefined },
): Promise<RunRecord> {
  const { keyId } = callerOf(request);
  const { RUN_TIMEOUT_MS } = deps.config;
  const { idempotencyKey, message, session } = given;
  try {
    return await startFollowedRun(deps, {
      session,
      request: { newMessage: message, autoCreateSession: true, keyId },
      idempotencyKey,
      timeoutMs: RUN_TIMEOUT_MS > 0 ? RUN_TIMEOUT_MS : undefined,
    });
  } catch (error) {
    // An app that the caller may not use looks like one that does not exist.
    throw toPlatformError(error).code === "NOT_FOUND" ? unknownTool() : error;
  }
}

async function countForApp({ quotas }: RouteDeps, request: FastifyRequest, appName: string): Promise<void> {
  const outcome = await quotas?.countRequest({ ...callingSubject(request), appName }, ["app"]);
  if (outcome?.refusal !== undefined) throw outcome.refusal;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? readIdempotencyKey({ "idempotency-key": key }) : undefined;
}

function runIdOf(state: unknown): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(state), "base64url").toString("utf8"));
    return isJsonObject(value) ? value["runId"] : undefined;
  } catch {
    // A text that is not a state of this server is treated like one that names no run.
    return undefined;
  }
}

function isIdentifier(value: unknown): value is string {
  if (typeof value !== "string") return false;
  try {
    assertIdentifier("The id", value);
    return true;
  } catch {
    // Only the rules of `assertIdentifier` are needed here; its message would name another field.
    return false;
  }
}
