/** The services of the platform, by the names that tokens, certificates and messages use. */
export const SERVICE_NAMES = ["gateway", "runner", "session", "artifact", "memory", "eval"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

const RUNNER: readonly ServiceName[] = ["runner"];
const GATEWAY: readonly ServiceName[] = ["gateway"];
const BOTH: readonly ServiceName[] = ["gateway", "runner"];

/**
 * Who may call what: every RPC between services with its callers. What is not listed may be called by nobody. Runs are written by
 * runners alone.
 */
const CALLERS: Readonly<Record<string, Readonly<Record<string, readonly ServiceName[]>>>> = {
  "agentplane.runner.v1.RunnerService": {
    StartRun: GATEWAY,
    StartPipe: GATEWAY,
    CancelRun: GATEWAY,
    ListApps: GATEWAY,
    DescribeApp: GATEWAY,
    RunLive: GATEWAY,
  },
  "agentplane.session.v1.SessionService": {
    CreateSession: BOTH,
    GetSession: BOTH,
    ListSessions: BOTH,
    DeleteSession: GATEWAY,
    ListEvents: BOTH,
    AppendEvent: BOTH,
    CloseSession: BOTH,
    ApplyStateDelta: BOTH,
  },
  "agentplane.session.v1.RunJournalService": {
    BeginRun: RUNNER,
    AppendEvents: RUNNER,
    JournalPipe: RUNNER,
    FinishRun: RUNNER,
    ReleaseRun: RUNNER,
    ListAbandonedRuns: RUNNER,
    RenewLease: RUNNER,
    RequestCancel: BOTH,
    GetRun: BOTH,
    ListRuns: BOTH,
    BatchGetHeads: GATEWAY,
  },
  "agentplane.artifact.v1.ArtifactService": {
    SaveArtifact: BOTH,
    LoadArtifact: BOTH,
    ListArtifactKeys: BOTH,
    ListVersions: BOTH,
    ListArtifactVersions: BOTH,
    GetArtifactVersion: BOTH,
    DeleteArtifact: BOTH,
    DeleteSessionArtifacts: BOTH,
  },
  "agentplane.memory.v1.MemoryService": {
    AddSession: BOTH,
    AddMemoryEntries: BOTH,
    SearchMemory: BOTH,
    DeleteSessionMemory: BOTH,
  },
  "agentplane.eval.v1.EvalService": {
    CreateEvalSet: GATEWAY,
    ListEvalSets: GATEWAY,
    GetEvalSet: GATEWAY,
    DeleteEvalSet: GATEWAY,
    ListEvalCases: GATEWAY,
    GetEvalCase: GATEWAY,
    AddEvalCase: GATEWAY,
    UpdateEvalCase: GATEWAY,
    DeleteEvalCase: GATEWAY,
    SaveEvalSetResult: GATEWAY,
    ListEvalSetResults: GATEWAY,
    GetEvalSetResult: GATEWAY,
  },
};

const BY_PATH: ReadonlyMap<string, readonly ServiceName[]> = new Map(
  Object.entries(CALLERS).flatMap(([service, methods]) =>
    Object.entries(methods).map(([method, callers]) => [`/${service}/${method}`, callers] as const),
  ),
);

/**
 * Streams that carry the requests of many, and so are opened in the name of nobody: each of their requests says for itself for whom it is made,
 * and is let in as the call that it stands for.
 */
export const SHARED_STREAMS: ReadonlySet<string> = new Set([
  "/agentplane.runner.v1.RunnerService/StartPipe",
  "/agentplane.session.v1.RunJournalService/JournalPipe",
]);

/** The callers of an RPC, by its path: `/package.Service/Method`. Nobody, when it is not declared. */
export function declaredCallers(path: string): readonly ServiceName[] {
  return BY_PATH.get(path) ?? [];
}

export function isServiceName(name: string): name is ServiceName {
  const names: readonly string[] = SERVICE_NAMES;
  return names.includes(name);
}
