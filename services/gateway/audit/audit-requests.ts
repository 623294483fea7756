import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import type { Auditor } from "#shared/audit/audit-recorder.ts";
import { isForeign } from "../access/foreign-requests.ts";
import { accessOf, type ProtectedAccess, PUBLIC } from "../access/route-access.ts";
import { fromThrown } from "../http/errors.ts";
import { knownCallerOf } from "../identity/authenticator.ts";
import { type Caller, NO_CALLER } from "../identity/caller.ts";
import { resourceOf } from "./request-resource.ts";
import { keepRunRecords, RunRecords, runRecordsOf } from "./run-records.ts";

export interface AuditRequestsOptions {
  readonly auditor: Auditor;
  readonly clock: Clock;
}

/** Methods that change nothing. */
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Scopes of actions that do not happen without a record. */
const RECORDED_FIRST: ReadonlySet<string | undefined> = new Set(["ops", "apps:edit"]);
/** Scopes of operations that may start runs or evaluations; none where each message of a request has one, as at `/mcp`. */
const STARTS_RUNS: ReadonlySet<string | undefined> = new Set(["runs:write", "evals", undefined]);
const EVERY_USER = "users:all";
const MAX_SUBJECT_LENGTH = 512;

/**
 * Adds the hooks that record what callers do: each change, each read of other users' data, and each refusal. Added
 * after the hooks that decide.
 */
export function auditRequests(app: Pick<FastifyInstance, "addHook">, { auditor, clock }: AuditRequestsOptions): void {
  app.addHook("preHandler", (request, reply, done) => {
    const access = accessOf(request.routeOptions.schema);
    if (access === undefined || access === PUBLIC) return done();
    const caller = knownCallerOf(request) ?? NO_CALLER;
    // An export is recorded like a change, and the handshake of a live run is one.
    const changes = !READS.has(request.method) || isExport(request) || access.scope === "runs:write";
    const reason = crossesUsers(request, caller, access) ? EVERY_USER : undefined;
    if (!changes && reason === undefined) return done();
    const decision = decisionOf(request, caller, clock, {
      decision: "allowed",
      reason,
    });
    if (changes && RECORDED_FIRST.has(access.scope)) {
      auditor.require(decision).then(() => done(), done);
      return;
    }
    if (changes && STARTS_RUNS.has(access.scope)) {
      const records = new RunRecords(auditor, decision);
      keepRunRecords(request, records);
      // Emitted once for every response: finished, hijacked or cut off.
      reply.raw.once("close", () => records.end());
    } else {
      auditor.note(decision);
    }
    done();
  });
  app.addHook("onError", (request: FastifyRequest, _reply: FastifyReply, thrown: Error, done: () => void) => {
    const error = fromThrown(thrown);
    runRecordsOf(request)?.end();
    if (isRefusal(error) || isForeign(request)) {
      const caller = knownCallerOf(request) ?? NO_CALLER;
      auditor.note(
        decisionOf(request, caller, clock, { decision: "refused", reason: error.reason, address: request.ip }),
      );
    }
    done();
  });
}

function decisionOf(
  request: FastifyRequest,
  { tenantId, subject, keyId }: Caller,
  clock: Clock,
  outcome: Pick<AuditDecision, "decision" | "reason" | "address">,
): AuditDecision {
  return {
    kind: "decision",
    timeMs: clock.now(),
    ...inTenant(tenantId),
    subject: subject.slice(0, MAX_SUBJECT_LENGTH),
    keyId,
    action: actionOf(request),
    // Paths without a route name nothing.
    resource: request.routeOptions.schema === undefined ? {} : resourceOf(request),
    requestId: request.id,
    ...outcome,
  };
}

/** The operation's id; the method alone for a path without a route. */
function actionOf({ routeOptions, method }: FastifyRequest): string {
  const { schema } = routeOptions;
  const id = schema !== undefined && "operationId" in schema ? schema.operationId : undefined;
  return typeof id === "string" ? id : `${method} ${routeOptions.url ?? ""}`.trim();
}

/**
 * Whether a caller reads data of users other than its own. A server without authentication has one caller, who may read
 * the data of every user.
 */
function crossesUsers(request: FastifyRequest, caller: Caller, { owner }: ProtectedAccess): boolean {
  if (caller.source === "none" || !caller.scopes.has(EVERY_USER)) return false;
  if (owner === "app" || owner === "tenant" || owner === "server") return false;
  const { userId } = resourceOf(request);
  return userId === undefined || userId !== caller.userId;
}

function isExport({ routeOptions, method }: FastifyRequest): boolean {
  return method === "GET" && routeOptions.url?.endsWith("/v1/tenants/:tenantId/export") === true;
}

function isRefusal({ httpStatus, reason }: PlatformError): boolean {
  return httpStatus === 401 || httpStatus === 403 || reason === "FOREIGN_OWNER" || reason === "AUDIT_UNAVAILABLE";
}
