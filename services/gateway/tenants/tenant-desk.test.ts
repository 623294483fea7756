import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Clock, systemClock } from "#kit/platform/clock.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryEvalStore } from "#ports/evaluation/in-memory-eval-store.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import type { DeleteDataRequest } from "#ports/tenants/tenant-data.ts";
import { newEvalJob } from "#test/contract/evaluations/eval-job-world.ts";
import { beginRequest, started } from "#test/contract/sessions/session-world.ts";
import { inMemoryEvalJobs } from "#test/helpers/servers/in-memory-eval-jobs.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { TenantDesk } from "./tenant-desk.ts";

const ACME = { tenantId: "acme" };
const ADA = { ...ACME, appName: "app", userId: "ada" };
const SESSION = { ...ADA, id: "s" };

/** Memory whose next deletions fail. */
class FailingMemory extends InMemoryMemoryService {
  failures = 0;

  override async deleteData(request: DeleteDataRequest) {
    this.failures -= 1;
    if (this.failures >= 0) throw new PlatformError("STORE_UNAVAILABLE", "The store does not answer.");
    return super.deleteData(request);
  }
}

/** Reads slowly, so that a call of the deletion ends before all results were read. */
class SlowEvalStore extends InMemoryEvalStore {
  readonly reads: string[] = [];
  readonly #clock: FixedClock;

  constructor(clock: FixedClock) {
    super({ clock });
    this.#clock = clock;
  }

  override getEvalSetResult(...[app, name]: Parameters<InMemoryEvalStore["getEvalSetResult"]>) {
    this.reads.push(name);
    this.#clock.advance(60);
    return super.getEvalSetResult(app, name);
  }
}

async function createWorld(clock: Clock = systemClock, evalStore = new InMemoryEvalStore({ clock })) {
  const sources = { clock, ids: new SequentialIds() };
  const sessions = new InMemorySessionStore(sources);
  const artifacts = new InMemoryArtifactService(sources);
  const memory = new FailingMemory(sources);
  const credentials = new InMemoryCredentialService({ clock });
  await sessions.createSession(SESSION);
  const run = await started(sessions, "run", { session: SESSION });
  await artifacts.saveArtifact({ session: SESSION, filename: "a.txt", artifact: { text: "a" } });
  await memory.addMemoryEntries(ADA, [{ id: "m", content: { role: "user", parts: [{ text: "a" }] } }]);
  await credentials.saveCredential(ADA, "tool", { authType: "apiKey", apiKey: "k" });
  const evalJobs = inMemoryEvalJobs();
  await evalJobs.start(newEvalJob("job", ACME));
  const cancelled: string[] = [];
  const deps: ConstructorParameters<typeof TenantDesk>[0] = {
    sessionService: sessions,
    runJournal: sessions,
    artifactService: artifacts,
    memoryService: memory,
    evalJobs,
    evalStore,
    userCredentials: credentials,
    // Ends the run, as the runner that executes it does.
    runnerService: {
      cancelRun: async (runId: string) => {
        cancelled.push(runId);
        const { lease, snapshot } = run;
        await sessions.finish({ lease, afterRevision: snapshot.revision, events: [], status: "cancelled" });
      },
    } as unknown as ConstructorParameters<typeof TenantDesk>[0]["runnerService"],
    apiKeys: undefined,
    clock,
  };
  const desk = new TenantDesk(deps);
  const beginning = () => sessions.begin(beginRequest("next", { session: SESSION }));
  const left = async () => {
    const pages = await Promise.all(
      Object.values(desk.stores).map((store) => store.listData({ ...ACME, pageSize: 10 })),
    );
    const credential = await credentials.loadCredential(ADA, "tool");
    return [...pages.flatMap(({ items }) => items.map(({ kind }) => kind)), ...(credential ? ["credential"] : [])];
  };
  return { deps, desk, memory, sessions, cancelled, beginning, left };
}

it("a deletion cancels active runs, and then deletes everything, users' credentials too", async () => {
  verifies("tenants:delete", "tenants:delete:credentials", "tenants:delete:nothing-begins");
  const { desk, cancelled, left } = await createWorld();
  expect(await left()).toEqual(["evaluation", "artifact", "memory", "session", "credential"]);
  expect(await desk.delete(ACME)).toEqual({
    isDone: true,
    deleted: {
      evaluationJobs: 1,
      credentials: 1,
      pushes: 0,
      inbox: 0,
      schedules: 0,
      webhooks: 0,
      artifacts: 1,
      memory: 1,
      evaluations: 0,
      sessions: expect.any(Number),
    },
  });
  expect(cancelled).toEqual(["run"]);
  expect(await left()).toEqual([]);
});

it("a deletion that fails in one store stays in progress, and another call completes it", async () => {
  verifies("tenants:delete");
  const { desk, memory, sessions, beginning, left } = await createWorld();
  memory.failures = 1;
  await expect(desk.delete(ACME)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  expect(await left()).toEqual(["memory", "session"]);
  expect(await desk.deletions()).toEqual([{ ...ACME, startedAtMs: expect.any(Number) }]);
  await expect(beginning()).rejects.toMatchObject({ reason: "DATA_IN_DELETION" });

  expect(await desk.delete(ACME)).toMatchObject({ isDone: true, deleted: { credentials: 0, memory: 1 } });
  expect(await left()).toEqual([]);
  expect(await desk.deletions()).toEqual([]);
  await sessions.createSession(SESSION);
});

it("a user's deletion continues after the results that it has read, and a later deletion begins again", async () => {
  verifies("tenants:delete:results-once");
  const clock = new FixedClock(1000);
  const store = new SlowEvalStore(clock);
  const names = Array.from({ length: 250 }, (_, number) => `result${String(number).padStart(3, "0")}`);
  for (const name of names) {
    const result = { evalSetResultId: name, evalSetResultName: name, evalSetId: "set", creationTimestamp: 1 };
    await store.saveEvalSetResult({ ...ADA, tenantId: ACME.tenantId }, { ...result, evalCaseResults: [] });
  }
  const { deps, desk } = await createWorld(clock, store);
  const owner = { ...ACME, userId: "ada" };
  expect(await desk.delete(owner)).toMatchObject({ isDone: false, at: "evaluations" });
  expect(store.reads).toEqual(names.slice(0, 200));
  expect(await desk.delete(owner)).toMatchObject({ isDone: true });
  expect(store.reads).toEqual(names);
  // Another process completes the next one.
  await desk.delete(owner);
  const other = new TenantDesk(deps);
  await other.delete(owner);
  expect(await other.delete(owner)).toMatchObject({ isDone: true });
  store.reads.length = 0;
  await desk.delete(owner);
  expect(store.reads).toEqual(names.slice(0, 200));
});
