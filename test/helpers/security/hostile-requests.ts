import { loadProto } from "#adapters/grpc/channel/proto.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { ServiceName } from "#shared/security/call-graph.ts";

/** What an attacker asks for: a session, and a run that writes to it. */
export interface Target {
  readonly session: Required<SessionKey>;
  readonly runId: string;
  /** As far as the attacker can know it. */
  readonly holder: string;
}

type Request = object;

/** The services' methods as the library loads them: each has its path and marks which sides are streams. */
export const METHODS: Readonly<Record<Exclude<ServiceName, "gateway">, readonly LoadedMethod[]>> = {
  runner: methodsOf(loadProto("runner").fairlead.runner.v1.RunnerService.service),
  session: [
    ...methodsOf(loadProto("session").fairlead.session.v1.SessionService.service),
    ...methodsOf(loadProto("runJournal").fairlead.session.v1.RunJournalService.service),
    ...methodsOf(loadProto("credential").fairlead.credential.v1.CredentialService.service),
  ],
  artifact: methodsOf(loadProto("artifact").fairlead.artifact.v1.ArtifactService.service),
  memory: methodsOf(loadProto("memory").fairlead.memory.v1.MemoryService.service),
  eval: methodsOf(loadProto("eval").fairlead.eval.v1.EvalService.service),
};

export interface LoadedMethod {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

function methodsOf(definition: object): readonly LoadedMethod[] {
  return Object.values(definition) as readonly LoadedMethod[];
}

const JSON_TEXT = Buffer.from('{"x":"planted by the attacker"}');
const EVENT = { id: "hostile", invocationId: "i", author: "agent", json: JSON_TEXT, timestamp: { seconds: 1 } };
const PART = { partJson: Buffer.from(JSON.stringify({ text: "planted by the attacker" })) };

/** The messages of each call for the target. A method without an entry fails the test that uses the table. */
export const HOSTILE: Readonly<Record<string, (target: Target) => readonly Request[]>> = {
  StartRun: ({ session, runId }) => [{ session, runId, requestJson: Buffer.from("{}") }],
  StartPipe: ({ session, runId }) => [
    { requests: [{ number: 1, start: { session, runId, requestJson: Buffer.from("{}") } }] },
  ],
  CancelRun: ({ session, runId }) => [{ tenantId: session.tenantId, runId }],
  ListApps: () => [{}],
  DescribeApp: ({ session }) => [{ appName: session.appName }],
  RunLive: ({ session }) => [{ start: { start: { session, requestJson: Buffer.from("{}"), runId: "hostile" } } }],
  CreateSession: ({ session }) => [{ header: { ...session, id: "hostile" }, complete: true }],
  ListData: ({ session }) => dataOf(session).map((owner) => ({ ...owner, pageSize: 10 })),
  DeleteData: ({ session }) => dataOf(session).map((owner) => ({ ...owner, limit: 10 })),
  ListOldData: () => [{ before: { seconds: 4_000_000_000 }, pageSize: 10 }],
  DeleteOldData: ({ session: { tenantId, appName, userId } }) => [
    { tenantId, appName, userId, items: [{ id: "entry" }], ids: ["result"], before: { seconds: 4_000_000_000 } },
  ],
  BeginDeletion: ({ session }) => dataOf(session),
  EndDeletion: ({ session }) => dataOf(session),
  ListDeletions: () => [{}],
  ListIdleSessions: () => [{ updatedBefore: { seconds: 4_000_000_000 }, pageSize: 10 }],
  GetSession: ({ session }) => [{ key: session }],
  ListSessions: ({ session: { tenantId, appName, userId } }) => [{ tenantId, appName, userId }],
  DeleteSession: ({ session }) => [{ key: session }],
  ListEvents: ({ session }) => [{ key: session }],
  AppendEvent: ({ session }) => [{ key: session, haveRevision: 0, event: EVENT }],
  CloseSession: ({ session }) => [{ key: session }, { key: session, ifUpdatedBefore: { seconds: 4_000_000_000 } }],
  ApplyStateDelta: ({ session }) => [{ key: session, stateDeltaJson: JSON_TEXT, author: "a", invocationId: "i" }],
  ReadStorage: ({ session: { tenantId, appName, userId } }) => [
    { counts: [{ tenantId, scope: "user", name: userId }] },
    { counts: [{ tenantId, scope: "app", name: appName }] },
    { counts: [{ tenantId, scope: "tenant" }] },
  ],
  ReadStored: ({ session: { tenantId, appName, userId } }) => [
    { names: [{ tenantId, scope: "user", name: userId }] },
    { names: [{ tenantId, scope: "app", name: appName }] },
    { names: [{ tenantId, scope: "tenant" }] },
  ],
  AllowEvaluation: ({ session: { tenantId, appName, userId } }) => [
    { tenantId, appName, userId, jobId: "hostile", deadline: { seconds: 4_000_000_000 } },
    { tenantId, appName, jobId: "hostile", deadline: { seconds: 4_000_000_000 } },
  ],
  GrantEvaluation: ({ session }) => [{ key: session }],
  BeginRun: (target) => [beginOf(target)],
  AppendEvents: (target) => [appendOf(target)],
  JournalPipe: (target) => [
    {
      requests: [
        { number: 1, begin: beginOf(target) },
        { number: 2, append: appendOf(target) },
        { number: 3, finish: finishOf(target) },
      ],
    },
  ],
  FinishRun: (target) => [finishOf(target)],
  SignGrant: () => [{}],
  RenewLease: (target) => [{ lease: leaseOf(target), leaseDuration: { seconds: 1 } }],
  ReleaseRun: (target) => [{ lease: leaseOf(target) }],
  RequestCancel: ({ session, runId }) => [{ tenantId: session.tenantId, runId }],
  GetRun: ({ session, runId }) => [{ tenantId: session.tenantId, runId }],
  ListRuns: ({ session }) => [{ tenantId: session.tenantId, appName: session.appName, session }],
  BatchGetHeads: ({ session }) => [{ sessions: [session] }],
  ListAbandonedRuns: () => [{ limit: 100 }],
  SaveArtifact: (target) => [{ header: { key: fileOf(target), artifact: PART } }],
  LoadArtifact: (target) => [{ key: fileOf(target) }],
  DescribeArtifact: (target) => [{ key: fileOf(target) }],
  ReadArtifact: (target) => [{ key: fileOf(target), version: "0", from: "0", bytes: 1024 }],
  ListArtifactKeys: ({ session }) => [{ session }],
  ListVersions: (target) => [{ key: fileOf(target) }],
  ListArtifactVersions: (target) => [{ key: fileOf(target) }],
  GetArtifactVersion: (target) => [{ key: fileOf(target) }],
  DeleteArtifact: (target) => [{ key: fileOf(target) }],
  DeleteSessionArtifacts: ({ session }) => [{ session }],
  AddSession: ({ session }) => [{ header: { session, revision: 1 }, events: [EVENT] }, { complete: true }],
  AddMemoryEntries: ({ session: { tenantId, appName, userId } }) => [
    { scope: { tenantId, appName, userId }, entriesJson: [Buffer.from('{"content":{"parts":[{"text":"planted"}]}}')] },
    { complete: true },
  ],
  SearchMemory: ({ session: { tenantId, appName, userId } }) => [
    { scope: { tenantId, appName, userId }, query: "secret" },
  ],
  DeleteSessionMemory: ({ session: { id, ...scope } }) => [{ scope, sessionId: id }],
  LoadCredential: ({ session }) => [credentialOf(session)],
  SaveCredential: ({ session }) => [{ ...credentialOf(session), credentialJson: JSON_TEXT }],
  DeleteCredential: ({ session }) => [credentialOf(session)],
  ListCredentials: ({ session: { tenantId, userId } }) => [{ tenantId, userId }],
  CreateEvalSet: ({ session }) => [
    { ...appOf(session), jsonChunk: Buffer.from('{"evalSetId":"hostile","evalCases":[]}') },
  ],
  ListEvalSets: ({ session }) => [appOf(session)],
  GetEvalSet: ({ session }) => [{ key: setOf(session) }],
  DeleteEvalSet: ({ session }) => [{ key: setOf(session) }],
  ListEvalCases: ({ session }) => [{ key: setOf(session) }],
  GetEvalCase: ({ session }) => [{ key: setOf(session), evalId: "case" }],
  AddEvalCase: ({ session }) => [
    { key: setOf(session), jsonChunk: Buffer.from('{"evalId":"hostile","conversation":[]}') },
  ],
  UpdateEvalCase: ({ session }) => [
    { key: setOf(session), jsonChunk: Buffer.from('{"evalId":"case","conversation":[]}') },
  ],
  DeleteEvalCase: ({ session }) => [{ key: setOf(session), evalId: "case" }],
  SaveEvalSetResult: ({ session }) => [{ ...appOf(session), jsonChunk: Buffer.from("{}") }],
  ListEvalSetResults: ({ session }) => [appOf(session)],
  GetEvalSetResult: ({ session }) => [{ ...appOf(session), nameOrId: "result" }],
  DescribeEvaluations: () => [{}],
  StartEvaluation: ({ session }) => [{ ...appOf(session), userId: session.userId, jsonChunk: Buffer.from(EVALUATION) }],
  GetEvaluation: ({ session }) => [jobOf(session)],
  ListEvaluations: ({ session }) => [{ ...appOf(session), userId: session.userId }, appOf(session)],
  ListEvaluationCases: ({ session }) => [jobOf(session)],
  ListEvaluationResults: ({ session }) => [jobOf(session)],
  WatchEvaluation: ({ session }) => [jobOf(session)],
  CancelEvaluation: ({ session }) => [jobOf(session)],
  ListEvaluationData: ({ session }) => dataOf(session).map((owner) => ({ ...owner, pageSize: 10 })),
  DeleteEvaluationData: ({ session }) => dataOf(session).map((owner) => ({ ...owner, limit: 10 })),
};

/** All data of the user, and of the user's tenant. */
function dataOf({ tenantId, userId }: Target["session"]): readonly Request[] {
  return [{ tenantId, userId }, { tenantId }];
}

function beginOf({ session, runId, holder }: Target): Request {
  const request = { runId, session, holder, invocationId: "i", requestJson: Buffer.from('{"autoCreateSession":true}') };
  return { ...request, policy: "CONCURRENCY_POLICY_INTERRUPT", leaseDuration: { seconds: 10 }, haveRevision: 0 };
}

function appendOf(target: Target): Request {
  return { lease: leaseOf(target), leaseDuration: { seconds: 10 }, afterRevision: 0, events: [EVENT] };
}

function finishOf(target: Target): Request {
  return { lease: leaseOf(target), afterRevision: 0, events: [EVENT], status: "RUN_STATUS_FAILED" };
}

function leaseOf({ session, runId, holder }: Target): Request {
  return { runId, session, holder, epoch: 1, expiresAt: { seconds: 4_000_000_000 } };
}

function credentialOf({ tenantId, appName, userId }: Target["session"]) {
  return { owner: { tenantId, appName, userId }, credentialKey: "tool" };
}

function fileOf({ session }: Target): Request {
  return { session, filename: "secret.txt" };
}

function appOf({ tenantId, appName }: Target["session"]): Request {
  return { tenantId, appName };
}

const EVALUATION = JSON.stringify({ jobId: "hostile", evalSetId: "secret-set", metrics: [], cases: [] });

function jobOf({ tenantId }: Target["session"]): Request {
  return { tenantId, jobId: "secret-job" };
}

function setOf(session: Target["session"]): Request {
  return { ...appOf(session), evalSetId: "secret-set" };
}
