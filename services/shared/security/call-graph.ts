/** The services of the platform, by the names that tokens, certificates and messages use. */
export const SERVICE_NAMES = ["gateway", "runner", "session", "artifact", "memory", "eval"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

const RUNNER: readonly ServiceName[] = ["runner"];
const GATEWAY: readonly ServiceName[] = ["gateway"];
const BOTH: readonly ServiceName[] = ["gateway", "runner"];

/**
 * Every RPC between services with its allowed callers. An RPC that is not listed may not be called. Only runners write
 * runs.
 */
const CALLERS: Readonly<Record<string, Readonly<Record<string, readonly ServiceName[]>>>> = {
  "fairlead.runner.v1.RunnerService": {
    StartRun: GATEWAY,
    StartPipe: GATEWAY,
    CancelRun: GATEWAY,
    ListApps: GATEWAY,
    DescribeApp: GATEWAY,
    RunLive: GATEWAY,
  },
  "fairlead.session.v1.SessionService": {
    CreateSession: BOTH,
    GetSession: BOTH,
    ListSessions: BOTH,
    DeleteSession: GATEWAY,
    ListEvents: BOTH,
    AppendEvent: BOTH,
    CloseSession: BOTH,
    ApplyStateDelta: BOTH,
  },
  "fairlead.session.v1.RunJournalService": {
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
  "fairlead.artifact.v1.ArtifactService": {
    SaveArtifact: BOTH,
    LoadArtifact: BOTH,
    ListArtifactKeys: BOTH,
    ListVersions: BOTH,
    ListArtifactVersions: BOTH,
    GetArtifactVersion: BOTH,
    DeleteArtifact: BOTH,
    DeleteSessionArtifacts: BOTH,
  },
  "fairlead.memory.v1.MemoryService": {
    AddSession: BOTH,
    AddMemoryEntries: BOTH,
    SearchMemory: BOTH,
    DeleteSessionMemory: BOTH,
  },
  "fairlead.eval.v1.EvalService": {
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
 * Streams that carry requests for many principals, and so are opened without one: each of their requests names its
 * principal, and is checked as the call that it represents.
 */
export const SHARED_STREAMS: ReadonlySet<string> = new Set([
  "/fairlead.runner.v1.RunnerService/StartPipe",
  "/fairlead.session.v1.RunJournalService/JournalPipe",
]);

/** The allowed callers of an RPC, by its path: `/package.Service/Method`. None if it is not declared. */
export function declaredCallers(path: string): readonly ServiceName[] {
  return BY_PATH.get(path) ?? [];
}

export function isServiceName(name: string): name is ServiceName {
  const names: readonly string[] = SERVICE_NAMES;
  return names.includes(name);
}
