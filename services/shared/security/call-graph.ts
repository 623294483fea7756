/** The services of the platform, by the names that tokens, certificates and messages use. */
export const SERVICE_NAMES = ["gateway", "runner", "session", "artifact", "memory", "eval"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];

/**
 * What a call carries besides the identity of its caller:
 * - `principal`: a principal that a gateway has signed for the called service;
 * - `start`: one for runners that is limited to the session in which a run starts;
 * - `cancel`: one for runners that is limited to the run to cancel;
 * - `grant`: the grant of the run for which a runner calls;
 * - `grant-or-start`, `grant-or-cancel`: the grant, or the principal that the runner got from the gateway;
 * - `run`: the grant, or the principal of the start, or no token: then the call is upkeep, for runs that no runner holds. An expired grant counts as no token, because a run may wait for longer than its grant is valid;
 * - `permit`: the permit of an evaluation;
 * - `evaluation`: the grant of an evaluation for one of its sessions;
 * - `upkeep`: no token, for calls that a runner makes for no run;
 * - `nothing`: no token, for calls that reach no data of users;
 * - `each`: no token, because each request on the stream carries its own.
 */
export type Credential =
  | "principal"
  | "start"
  | "cancel"
  | "grant"
  | "grant-or-start"
  | "grant-or-cancel"
  | "run"
  | "permit"
  | "evaluation"
  | "upkeep"
  | "nothing"
  | "each";

type Callers = Readonly<Partial<Record<ServiceName, Credential>>>;

const GATEWAY: Callers = { gateway: "principal" };
const EVALUATIONS: Callers = { gateway: "principal", eval: "evaluation" };
const RUNS: Callers = { gateway: "principal", runner: "grant" };

/**
 * Every RPC between services with its allowed callers and what they must carry. An RPC that is not listed may not be
 * called. Only runners write runs, and a runner reaches data of users only for its runs. The evaluation service reaches
 * the sessions of its evaluations.
 */
const CALLERS: Readonly<Record<string, Readonly<Record<string, Callers>>>> = {
  "fairlead.runner.v1.RunnerService": {
    StartRun: { gateway: "start", eval: "evaluation" },
    StartPipe: { gateway: "each", eval: "each" },
    CancelRun: { gateway: "cancel", eval: "evaluation" },
    ListApps: { gateway: "nothing" },
    DescribeApp: { gateway: "nothing", eval: "nothing" },
    RunLive: { gateway: "start" },
  },
  "fairlead.session.v1.SessionService": {
    CreateSession: EVALUATIONS,
    GetSession: GATEWAY,
    ListSessions: GATEWAY,
    DeleteSession: GATEWAY,
    ListEvents: { gateway: "principal", runner: "grant-or-start", eval: "evaluation" },
    AppendEvent: RUNS,
    CloseSession: GATEWAY,
    ApplyStateDelta: GATEWAY,
    ReadStorage: GATEWAY,
    ListData: GATEWAY,
    DeleteData: GATEWAY,
    BeginDeletion: GATEWAY,
    EndDeletion: GATEWAY,
    ListDeletions: { gateway: "nothing" },
    ListIdleSessions: { gateway: "nothing" },
    ListOldData: { gateway: "nothing" },
    DeleteOldData: GATEWAY,
    AllowEvaluation: GATEWAY,
    GrantEvaluation: { eval: "permit" },
  },
  "fairlead.session.v1.RunJournalService": {
    BeginRun: { runner: "run" },
    AppendEvents: { runner: "grant" },
    JournalPipe: { runner: "each" },
    FinishRun: { runner: "grant" },
    ReleaseRun: { runner: "grant" },
    SignGrant: { runner: "grant" },
    ListAbandonedRuns: { runner: "upkeep" },
    RenewLease: { runner: "grant" },
    RequestCancel: { gateway: "principal", runner: "grant-or-cancel" },
    GetRun: { gateway: "principal", runner: "run", eval: "evaluation" },
    ListRuns: { gateway: "principal", runner: "upkeep" },
    BatchGetHeads: GATEWAY,
  },
  // Gateways never get a credential: they only list and delete them. What a user gives in a message is saved before the
  // message is stored without it, and so before the run has a grant.
  "fairlead.credential.v1.CredentialService": {
    LoadCredential: { runner: "grant" },
    SaveCredential: { runner: "grant-or-start" },
    DeleteCredential: RUNS,
    ListCredentials: GATEWAY,
    DeleteData: GATEWAY,
  },
  "fairlead.artifact.v1.ArtifactService": {
    SaveArtifact: { ...RUNS, eval: "evaluation" },
    LoadArtifact: RUNS,
    DescribeArtifact: RUNS,
    ReadArtifact: RUNS,
    ListArtifactKeys: RUNS,
    ListVersions: RUNS,
    ListArtifactVersions: RUNS,
    GetArtifactVersion: RUNS,
    DeleteArtifact: RUNS,
    DeleteSessionArtifacts: GATEWAY,
    ReadStored: GATEWAY,
    ListData: GATEWAY,
    DeleteData: GATEWAY,
    ListOldData: { gateway: "nothing" },
    DeleteOldData: GATEWAY,
  },
  "fairlead.memory.v1.MemoryService": {
    AddSession: RUNS,
    AddMemoryEntries: RUNS,
    SearchMemory: RUNS,
    DeleteSessionMemory: GATEWAY,
    ReadStored: GATEWAY,
    ListData: GATEWAY,
    DeleteData: GATEWAY,
    ListOldData: { gateway: "nothing" },
    DeleteOldData: GATEWAY,
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
    ReadStored: GATEWAY,
    ListData: GATEWAY,
    DeleteData: GATEWAY,
    ListOldData: { gateway: "nothing" },
    DeleteOldData: GATEWAY,
    ListEvaluationData: GATEWAY,
    DeleteEvaluationData: GATEWAY,
    DescribeEvaluations: { gateway: "nothing" },
    StartEvaluation: GATEWAY,
    GetEvaluation: GATEWAY,
    ListEvaluations: GATEWAY,
    ListEvaluationCases: GATEWAY,
    ListEvaluationResults: GATEWAY,
    WatchEvaluation: GATEWAY,
    CancelEvaluation: GATEWAY,
  },
};

const BY_PATH: ReadonlyMap<string, ReadonlyMap<string, Credential>> = new Map(
  Object.entries(CALLERS).flatMap(([service, methods]) =>
    Object.entries(methods).map(
      ([method, callers]) => [`/${service}/${method}`, new Map(Object.entries(callers))] as const,
    ),
  ),
);

/** The allowed callers of an RPC, by its path: `/package.Service/Method`. None if it is not declared. */
export function declaredCallers(path: string): readonly ServiceName[] {
  return [...(BY_PATH.get(path)?.keys() ?? [])].filter(isServiceName);
}

/** What a call of the service must carry; undefined if it may not make the call. */
export function credentialOf(path: string, caller: ServiceName): Credential | undefined {
  return BY_PATH.get(path)?.get(caller);
}

export function isServiceName(name: string): name is ServiceName {
  const names: readonly string[] = SERVICE_NAMES;
  return names.includes(name);
}
