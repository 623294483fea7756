import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { GrpcPeer } from "#adapters/grpc/channel/grpc-peer.ts";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { ServiceSecurity } from "#shared/grpc/service-security.ts";
import { type Credential, credentialOf, SERVICE_NAMES } from "#shared/security/call-graph.ts";
import { inCallScope } from "#shared/security/call-scope.ts";
import type { Principal } from "#shared/security/principal.ts";
import { KEY, started } from "#test/contract/sessions/session-world.ts";
import { peerAt } from "#test/helpers/security/security-files.ts";
import { type BackEnds, startBackEnds } from "#test/helpers/worlds/back-ends-world.ts";

type Called = MethodDefinition<object, object> & { readonly requestType: object };
type BackEnd = keyof BackEnds["ports"];

/** Every RPC of the services that keep data, from their definitions. */
const SERVICES: readonly (readonly [BackEnd, ServiceDefinition])[] = [
  ["session", loadProto("session").fairlead.session.v1.SessionService.service],
  ["session", loadProto("runJournal").fairlead.session.v1.RunJournalService.service],
  ["session", loadProto("credential").fairlead.credential.v1.CredentialService.service],
  ["artifact", loadProto("artifact").fairlead.artifact.v1.ArtifactService.service],
  ["memory", loadProto("memory").fairlead.memory.v1.MemoryService.service],
  ["eval", loadProto("eval").fairlead.eval.v1.EvalService.service],
];
const BY_PATH = SERVICES.flatMap(([service, methods]) =>
  Object.values(methods).map((method) => [method.path, { service, methods, method: method as Called }] as const),
);

/**
 * What the users of an app share, and what no principal is needed for: another user's principal is not a reason to
 * refuse.
 */
const SHARED: ReadonlySet<string> = new Set([
  ...["CreateEvalSet", "ListEvalSets", "GetEvalSet", "DeleteEvalSet", "ListEvalCases", "GetEvalCase", "AddEvalCase"],
  ...["UpdateEvalCase", "DeleteEvalCase", "SaveEvalSetResult", "ListEvalSetResults", "GetEvalSetResult"],
  ...["ListDeletions", "ListIdleSessions", "ListOldData", "DescribeEvaluations"],
]);

const OTHERS = { ...KEY, userId: "other", id: "planted-session", runId: "planted-run", jobId: "planted-job" };
const MINE: Principal = { tenantId: DEFAULT_TENANT, appName: KEY.appName, userId: KEY.userId, scopes: [] };

describe("every call of a service that keeps data", () => {
  it.each(BY_PATH)("is refused to callers that are unknown or not declared: %s", async (path, call) => {
    await using world = await startBackEnds();
    expect(await reasonOf(world, call, world.files.open("gateway", {}))).toBe("CALLER_UNKNOWN");
    for (const caller of SERVICE_NAMES.filter((name) => credentialOf(path, name) === undefined))
      expect([caller, await reasonOf(world, call, world.files.withPrincipals(caller))]).toEqual([
        caller,
        "CALLER_NOT_ALLOWED",
      ]);
  });

  it.each(BY_PATH)("needs what its callers have to carry: %s", async (path, call) => {
    await using world = await startBackEnds();
    for (const caller of SERVICE_NAMES) {
      const credential = credentialOf(path, caller);
      if (credential === undefined || MAY_COME_ALONE.has(credential)) continue;
      // No call scope: the process carries no principal and no grant.
      expect([caller, await reasonOf(world, call, world.files.withPrincipals(caller))]).toEqual([
        caller,
        expect.stringMatching(/^(PRINCIPAL|GRANT)_\w+$/),
      ]);
    }
  });

  it.each(BY_PATH.filter(([path]) => credentialOf(path, "gateway") === "principal"))(
    "reaches nothing of another user, of another app and of another tenant: %s",
    async (path, call) => {
      await using world = await startBackEnds();
      await plant(world);
      const gateway = world.files.withPrincipals("gateway");
      const isShared = SHARED.has(path.replace(/^.*\//, ""));
      const elsewhere: readonly Principal[] = [
        { ...MINE, appName: "other-app" },
        { ...MINE, tenantId: "acme", userId: OTHERS.userId },
        ...(isShared ? [] : [MINE]),
      ];
      for (const principal of elsewhere) {
        const reason = await inCallScope({ principal }, () => reasonOf(world, call, gateway, OTHERS));
        expect([principal, reason]).toEqual([
          principal,
          isById(path) ? expect.stringMatching(ABSENT) : "FOREIGN_OWNER",
        ]);
      }
      const owner = { ...MINE, userId: OTHERS.userId };
      const reached = await inCallScope({ principal: owner }, () => reasonOf(world, call, gateway, OTHERS));
      if (isById(path)) expect(reached).toBe("answered");
      else if (isOfTenant(path)) expect(reached).toBe("FOREIGN_OWNER");
      else expect(reached).not.toBe("FOREIGN_OWNER");
    },
  );
});

/** Reads of what the user has, of which the requests above are refused. */
async function plant({ stores: { sessions, evalJobs } }: BackEnds): Promise<void> {
  const { appName, userId, runId, jobId } = OTHERS;
  await sessions.createSession({ appName, userId, id: OTHERS.id });
  await started(sessions, runId, { session: { appName, userId, id: OTHERS.id } });
  const asked = { evalSetId: "set", metrics: [], cases: [], fingerprint: "f", requester: { userId }, userId };
  await evalJobs.create({ ...asked, jobId, appName });
}

/** Calls that name a run or an evaluation alone: those of others are like none. */
function isById(path: string): boolean {
  return /\/(GetRun|RequestCancel|(Get|Watch|Cancel)Evaluation|ListEvaluation(Cases|Results))$/.test(path);
}

/** Calls for all users of a tenant, which a principal of one user never reaches. */
function isOfTenant(path: string): boolean {
  return /\/(ListData|DeleteData|DeleteOldData|BeginDeletion|EndDeletion|\w+EvaluationData|ReadStorage|ReadStored)$/.test(
    path,
  );
}

/** Credentials without which a call is another kind of call, or names no user. */
const MAY_COME_ALONE: ReadonlySet<Credential> = new Set(["nothing", "upkeep", "run", "each"] as const);
const ABSENT = /^(RUN_NOT_FOUND|EVAL_JOB_NOT_FOUND|nothing)$/;

/** Sends the call with one message; returns the reason of its refusal, or "answered". */
async function reasonOf(
  { ports }: BackEnds,
  { service, methods, method }: (typeof BY_PATH)[number][1],
  security: ServiceSecurity,
  names?: typeof OTHERS,
): Promise<string> {
  const peer = peerAt(ports[service], security, service);
  await using client = new GrpcPeer({ ...peer, name: service, methods });
  const message = names === undefined ? {} : naming(descriptorOf(method.requestType), names);
  // A stream of one message is a unary call on the wire.
  const call = { ...method, requestStream: true, responseStream: true };
  try {
    for await (const answer of client.exchange(call, [message])) return isEmpty(answer) ? "nothing" : "answered";
    return "nothing";
  } catch (error) {
    return String((error as { readonly reason?: string }).reason);
  }
}

/** Whether the answer of a read says that there is nothing. */
function isEmpty(answer: object): boolean {
  const values: readonly unknown[] = Object.values(answer);
  return values.length > 0 && values.every((value) => value === null);
}

interface Descriptor {
  readonly field: readonly DescriptorField[];
}

interface DescriptorField {
  readonly name: string;
  readonly label: string;
  readonly typeName: string;
}

/** Messages by their names, of all services that keep data. */
const TYPES: ReadonlyMap<string, Descriptor> = new Map(
  (["session", "runJournal", "credential", "artifact", "memory", "eval"] as const).flatMap((name) =>
    Object.values(loadProto(name).fairlead).flatMap(({ v1 }) =>
      Object.entries<object>(v1).flatMap(([type, value]) => ("type" in value ? [[type, descriptorOf(value)]] : [])),
    ),
  ),
);

/** The loader keeps the descriptor of each message type beside its functions. */
function descriptorOf(type: object): Descriptor {
  return (type as { readonly type: Descriptor }).type;
}

/** Messages that say of what a call is. */
const NAMING = /(Key|Owner|Scope|Header|Lease|StoredName|StorageCount)$/;

/** A message whose fields name the data, however deep. */
function naming({ field }: Descriptor, names: typeof OTHERS): object {
  const texts: Readonly<Record<string, string>> = {
    ...{ appName: names.appName, userId: names.userId, tenantId: DEFAULT_TENANT, id: names.id, sessionId: names.id },
    ...{ runId: names.runId, jobId: names.jobId, filename: "note", evalSetId: "set", evalId: "case", key: "tool" },
    ...{ scope: "user", name: names.userId },
  };
  return Object.fromEntries(
    field.flatMap(({ name, label, typeName }) => {
      const nested = NAMING.test(typeName) ? TYPES.get(typeName.replace(/^.*\./, "")) : undefined;
      const value = nested === undefined ? texts[name] : naming(nested, names);
      if (value === undefined || (nested === undefined && typeName !== "")) return [];
      return [[name, label === "LABEL_REPEATED" ? [value] : value]];
    }),
  );
}
