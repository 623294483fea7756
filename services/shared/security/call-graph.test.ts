import { describe, expect, it } from "vitest";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { credentialOf, declaredCallers, SERVICE_NAMES } from "./call-graph.ts";

const DEFINITIONS = [
  loadProto("runner").fairlead.runner.v1.RunnerService.service,
  loadProto("session").fairlead.session.v1.SessionService.service,
  loadProto("runJournal").fairlead.session.v1.RunJournalService.service,
  loadProto("credential").fairlead.credential.v1.CredentialService.service,
  loadProto("artifact").fairlead.artifact.v1.ArtifactService.service,
  loadProto("memory").fairlead.memory.v1.MemoryService.service,
  loadProto("eval").fairlead.eval.v1.EvalService.service,
];
const PATHS = DEFINITIONS.flatMap((definition) => Object.values(definition).map(({ path }) => path));

describe("the declared callers", () => {
  it("are named for every call there is", () => {
    expect(PATHS.length).toBeGreaterThan(40);
    expect(PATHS.filter((path) => declaredCallers(path).length === 0)).toEqual([]);
  });

  it("are only the gateway, the runner and the evaluation service: stores make no calls", () => {
    expect(new Set(PATHS.flatMap((path) => declaredCallers(path)))).toEqual(new Set(["gateway", "runner", "eval"]));
    expect(SERVICE_NAMES).toContain("session");
  });

  it("let only runners write runs, and only the gateway and evaluations start them", () => {
    const journal = "/fairlead.session.v1.RunJournalService/";
    for (const method of ["BeginRun", "AppendEvents", "JournalPipe", "FinishRun", "RenewLease"])
      expect(declaredCallers(journal + method)).toEqual(["runner"]);
    expect(declaredCallers("/fairlead.runner.v1.RunnerService/StartRun")).toEqual(["gateway", "eval"]);
  });

  it("let a runner reach users' data by the grant of a run, or by what a gateway gave it for a start or a cancellation", () => {
    const needed = Map.groupBy(PATHS, (path) => credentialOf(path, "runner"));
    const names = (credential: Parameters<typeof needed.get>[0]) =>
      (needed.get(credential) ?? []).map((path) => path.replace(/^.*\//, "")).sort();
    expect([...needed.keys()].filter((credential) => credential !== undefined).sort()).toEqual([
      ...["each", "grant", "grant-or-cancel", "grant-or-start", "run", "upkeep"],
    ]);
    expect(names("run")).toEqual(["BeginRun", "GetRun"]);
    expect(names("upkeep")).toEqual(["ListAbandonedRuns", "ListRuns"]);
    expect(names("grant-or-start")).toEqual(["ListEvents", "SaveCredential"]);
    expect(names("grant")).toEqual([
      ...["AddMemoryEntries", "AddSession", "AppendEvent", "AppendEvents", "DeleteArtifact", "DeleteCredential"],
      ...[
        "DescribeArtifact",
        "FinishRun",
        "GetArtifactVersion",
        "ListArtifactKeys",
        "ListArtifactVersions",
        "ListVersions",
        "LoadArtifact",
      ],
      ...["LoadCredential", "ReadArtifact", "ReleaseRun", "RenewLease", "SaveArtifact", "SearchMemory", "SignGrant"],
    ]);
    expect(names("grant-or-cancel")).toEqual(["RequestCancel"]);
    expect(names("each")).toEqual(["JournalPipe"]);
  });

  it("let the evaluation service reach the sessions of its evaluations, by their grants", () => {
    const needed = Map.groupBy(PATHS, (path) => credentialOf(path, "eval"));
    const names = (credential: Parameters<typeof needed.get>[0]) =>
      (needed.get(credential) ?? []).map((path) => path.replace(/^.*\//, "")).sort();
    expect(names("evaluation")).toEqual([
      ...["CancelRun", "CreateSession", "GetRun", "ListEvents", "SaveArtifact", "StartRun"],
    ]);
    expect(names("permit")).toEqual(["GrantEvaluation"]);
    expect(names("each")).toEqual(["StartPipe"]);
    expect(names("nothing")).toEqual(["DescribeApp"]);
    expect([...needed.keys()].filter((credential) => credential !== undefined)).toHaveLength(4);
  });

  it("are none for a call that is not declared", () => {
    expect(declaredCallers("/fairlead.session.v1.SessionService/DropEverything")).toEqual([]);
  });
});
