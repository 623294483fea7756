import { describe, it } from "vitest";
import { RemoteEvalStore } from "#adapters/grpc/remote-eval-store.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EvalStore } from "#ports/evaluation/eval-store.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { createEvalServer } from "#services/eval/server.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { GRPC_FAULTS, GRPC_REASONS, openGrpcWorld } from "./grpc-world.ts";
import { expectRecovery, type NetworkOperation } from "./network-faults.ts";

const SET = { appName: "app", evalSetId: "set" };
const CASE = { ...SET, evalId: "case" };
const evalCase = (evalId: string, creationTimestamp = 0) => ({ evalId, conversation: [], creationTimestamp });
const result = (id: string) => ({
  evalSetResultId: id,
  evalSetResultName: id,
  evalSetId: "set",
  creationTimestamp: 0,
  evalCaseResults: [],
});

const OPERATIONS: readonly NetworkOperation<EvalStore, void>[] = [
  {
    name: "create a set",
    run: (store) => store.createEvalSet({ appName: "app", evalSetId: "next" }),
    isRepeatable: false,
  },
  { name: "list sets", run: (store) => store.listEvalSets({ appName: "app" }) },
  { name: "get a set", run: (store) => store.getEvalSet(SET) },
  { name: "delete a set", run: (store) => store.deleteEvalSet(SET), isRepeatable: false },
  { name: "list cases", run: (store) => store.listEvalCases(SET) },
  { name: "get a case", run: (store) => store.getEvalCase(CASE) },
  { name: "add a case", run: (store) => store.addEvalCase(SET, evalCase("next")), isRepeatable: false },
  { name: "update a case", run: (store) => store.updateEvalCase(SET, evalCase("case", 1)) },
  { name: "delete a case", run: (store) => store.deleteEvalCase(CASE), isRepeatable: false },
  { name: "save a result", run: (store) => store.saveEvalSetResult({ appName: "app" }, result("r2")) },
  { name: "list results", run: (store) => store.listEvalSetResults({ appName: "app" }) },
  { name: "get a result", run: (store) => store.getEvalSetResult({ appName: "app" }, "r1") },
];

async function open() {
  const evaluations = new InMemoryEvalStore({ clock: new FixedClock() });
  const server = createEvalServer({ evaluations, jobs: inMemoryEvalJobs(), logger: silentLogger });
  const stored = async () => [
    await evaluations.listEvalSets({ appName: "app" }),
    await evaluations.getEvalSet(SET),
    await evaluations.listEvalSetResults({ appName: "app" }),
  ];
  return openGrpcWorld(server, (options) => new RemoteEvalStore(options), stored);
}

async function prepare(store: EvalStore): Promise<void> {
  await store.createEvalSet(SET);
  await store.addEvalCase(SET, evalCase("case"));
  await store.saveEvalSetResult({ appName: "app" }, result("r1"));
}

describe.each(GRPC_FAULTS)("a message to the evaluation service that meets $name", ({ fault }) => {
  it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
    expectRecovery({ open, prepare, reasons: GRPC_REASONS }, operation, fault),
  );
});
