import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSqliteStores } from "#adapters/index.ts";
import { ManagedSessionStore } from "#adapters/vertex/managed-session-store.ts";
import { VertexAiSessionService } from "#adapters/vertex/vertex-ai-session-service.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { isJsonObject } from "#kit/platform/json.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { FakeAgentPlatform } from "#test/fakes/agent-platform/fake-agent-platform.ts";
import { payRunner } from "#test/fakes/agent-platform/pay-runner.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { idleSessionsContract } from "../tenants/idle-sessions.ts";
import { oldRunsContract } from "../tenants/old-runs.ts";
import { outsideEventsContract } from "./outside-events.ts";
import { runAnswersContract } from "./run-answers.ts";
import { runJournalContract } from "./run-journal.ts";
import { runLeaseContract } from "./run-lease.ts";
import { runOpeningContract } from "./run-opening.ts";
import { runRecoveryContract } from "./run-recovery.ts";
import { commonSessionContract } from "./session-service.ts";
import { sessionStateContract } from "./session-state.ts";
import { changing, KEY, NOW, record, type SessionStoreContract, said, started } from "./session-world.ts";

const NAME = "projects/acme/locations/us-central1/reasoningEngines/1/sessions/session";

function managedAt(url: string, sources = {}): VertexAiSessionService {
  const place = { project: "acme", location: "us-central1", agentEngineId: "1", apiEndpoint: url };
  return new VertexAiSessionService({ ...place, sleep: async () => {}, ...sources });
}

/** The ids of the events that the service has, once for each time that it has them. */
function idsAt(platform: FakeAgentPlatform, name = NAME): readonly unknown[] {
  const events = platform.sessions.stored.get(name)?.events ?? [];
  return events.map(({ rawEvent }) => (isJsonObject(rawEvent) ? rawEvent["id"] : undefined));
}

describe("ManagedSessionStore", () => {
  const contract: SessionStoreContract = {
    create: async (sources) => {
      verifies("operations:session:managed");
      const platform = await FakeAgentPlatform.start({ clock: sources.clock, pageLimit: 50 });
      const managed = managedAt(platform.url, { clock: sources.clock });
      const own = new InMemorySessionStore(sources);
      const store = new ManagedSessionStore({ managed, sessionService: own, runJournal: own });
      return {
        store,
        dispose: async () => {
          await store[Symbol.asyncDispose]();
          await managed[Symbol.asyncDispose]();
          await platform[Symbol.asyncDispose]();
        },
      };
    },
  };
  commonSessionContract(contract);
  sessionStateContract(contract);
  outsideEventsContract(contract);
  runJournalContract(contract);
  runLeaseContract(contract);
  runRecoveryContract(contract);
  runAnswersContract(contract);
  runOpeningContract(contract);
  idleSessionsContract(contract);
  oldRunsContract(contract);
});

describe("the exchange with the managed service", () => {
  async function startPair(options: { readonly maxWaitMs?: number } = {}) {
    const sources = { clock: new FixedClock(NOW), ids: new SequentialIds() };
    const platform = await FakeAgentPlatform.start({ clock: sources.clock });
    const managed = managedAt(platform.url, sources);
    const own = new InMemorySessionStore(sources);
    const store = new ManagedSessionStore({ managed, sessionService: own, runJournal: own, ...options });
    return {
      ...{ platform, managed, store },
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]();
        await managed[Symbol.asyncDispose]();
        await platform[Symbol.asyncDispose]();
      },
    };
  }

  it("takes what another client has appended into the next run, and gives it what runs append", async () => {
    verifies("operations:session:managed");
    await using pair = await startPair();
    await pair.store.createSession({ ...KEY, state: { a: 1 } });
    await pair.managed.appendEvents(KEY, [changing("theirs", { b: 2 })], 0);
    const { lease, snapshot } = await started(pair.store, "run");
    expect([snapshot.events.map(({ id }) => id), snapshot.state]).toEqual([["theirs"], { a: 1, b: 2 }]);
    await pair.store.append({ lease, leaseMs: 1000, afterRevision: 1, events: [record("1", { a: 3 })] });
    await pair.store.finish({ lease, afterRevision: 2, events: [record("2")], status: "succeeded" });
    expect(idsAt(pair.platform)).toEqual(["theirs", "1", "2"]);
    expect(await pair.managed.getSession(KEY)).toMatchObject({ state: { a: 3, b: 2 }, revision: 3 });
  });

  it("reads a session that only the managed service has", async () => {
    await using pair = await startPair();
    await pair.managed.createSession({ ...KEY, state: { a: 1 }, events: [said("1")] });
    expect(await pair.store.getSession({ ...KEY, userId: "eve" })).toBeUndefined();
    expect(await pair.store.getSession(KEY)).toMatchObject({ state: { a: 1 }, events: [said("1")] });
    expect(idsAt(pair.platform)).toEqual(["1"]);
  });

  it("runs while the managed service fails, and catches up after it, also if its session has expired", async () => {
    await using pair = await startPair();
    await pair.store.createSession(KEY);
    pair.platform.faults.push({ on: /./, kind: "answer", status: 503, times: 1e9 });
    const { lease } = await started(pair.store, "run");
    await pair.store.append({ lease, leaseMs: 1000, afterRevision: 0, events: [record("1"), record("2")] });
    await pair.store.finish({ lease, afterRevision: 2, events: [record("3")], status: "succeeded" });
    expect(idsAt(pair.platform)).toEqual([]);
    pair.platform.faults.length = 0;
    const next = await started(pair.store, "next");
    expect(idsAt(pair.platform)).toEqual(["1", "2", "3"]);
    pair.platform.sessions.stored.delete(NAME);
    await pair.store.finish({ lease: next.lease, afterRevision: 3, events: [record("4")], status: "succeeded" });
    expect(idsAt(pair.platform)).toEqual(["1", "2", "3", "4"]);
  });

  it("holds up no run while the managed service does not answer, and repeats one exchange however many changes there were", async () => {
    await using pair = await startPair({ maxWaitMs: 1 });
    await pair.store.createSession(KEY);
    await pair.store[Symbol.asyncDispose]();
    const before = pair.platform.lines.length;
    pair.platform.faults.push({ on: /^GET/, kind: "slow", delayMs: 1000 });
    const { lease } = await started(pair.store, "run");
    for (let index = 0; index < 20; index += 1)
      await pair.store.append({ lease, leaseMs: 1000, afterRevision: index, events: [record(String(index))] });
    const finished = await pair.store.finish({
      lease,
      afterRevision: 20,
      events: [record("end")],
      status: "succeeded",
    });
    expect([finished.run.status, idsAt(pair.platform)]).toEqual(["succeeded", []]);
    await pair.store[Symbol.asyncDispose]();
    expect(idsAt(pair.platform)).toHaveLength(21);
    // Two reads of each of the two exchanges, and the appends.
    expect(pair.platform.lines.length - before).toBeLessThanOrEqual(21 + 6);
  });

  it("leaves sessions alone that it cannot hold", async () => {
    await using pair = await startPair();
    const keys = [
      { ...KEY, tenantId: "acme" },
      { ...KEY, id: "a.b" },
    ];
    const before = pair.platform.lines.length;
    for (const key of keys) {
      await pair.store.createSession(key);
      await pair.store.closeSession(key);
      await pair.store.deleteSession(key);
      expect(await pair.store.getSession(key)).toBeUndefined();
    }
    expect(pair.platform.lines.slice(before)).toEqual([]);
  });

  it("does not give it the event of a runner that has lost its lease", async () => {
    await using pair = await startPair();
    await pair.store.createSession(KEY);
    const { lease } = await started(pair.store, "run");
    await started(pair.store, "run");
    const late = pair.store.append({ lease, leaseMs: 1000, afterRevision: 0, events: [record("late")] });
    await expect(late).rejects.toMatchObject({ reason: "LEASE_LOST" });
    expect(idsAt(pair.platform)).toEqual([]);
  });
});

describe("a process that is killed during a run", () => {
  const KILLS = [1, 2, 3, 4].flatMap((append) => [
    ["before", append, "answer"] as const,
    ["after", append, "lost"] as const,
  ]);

  it.each(KILLS)(
    "%s the managed service stores event %i: nothing is lost, nothing is there twice",
    async (_, append, kind) => {
      verifies("operations:session:managed");
      const folder = mkdtempSync(join(tmpdir(), "fairlead-managed-"));
      await using platform = await FakeAgentPlatform.start({ clock: systemClock, pageLimit: 100 });
      try {
        const env = { ...process.env, FOLDER: folder, PLATFORM: platform.url };
        const args = ["--input-type=module", "--eval", PROGRAM];
        const child = spawn(process.execPath, args, { env, cwd: REPOSITORY_ROOT, stdio: "inherit" });
        const kill = { on: /:appendEvent$/, kind, status: 503, then: () => void child.kill("SIGKILL") };
        platform.faults.push({ on: /:appendEvent$/, kind: "slow", delayMs: 0, times: append - 1 }, kill);
        const [, signal] = await once(child, "exit");
        expect(signal).toBe("SIGKILL");

        await using data = await openSqliteStores({ folder });
        await using managed = managedAt(platform.url);
        await using store = new ManagedSessionStore({
          managed,
          sessionService: data.sessionService,
          runJournal: data.runJournal,
        });
        const before = await data.sessionService.listEventRecords(PAID);
        const { runner, begin } = payRunner({ store, folder });
        const outcome = await runner.beginRun(begin);
        if (outcome.kind === "started") await Array.fromAsync(runner.executeRun(outcome.run));
        await store[Symbol.asyncDispose]();
        const { events } = await data.sessionService.listEventRecords(PAID);
        expect(events.slice(0, before.events.length)).toEqual(before.events);
        expect(events.map(({ author }) => author)).toEqual(["user", "cashier", "cashier", "cashier"]);
        expect(idsAt(platform, NAME.replace(/[^/]+$/, "paid"))).toEqual(events.map(({ id }) => id));
        expect(readFileSync(join(folder, "payments"), "utf8")).toBe("paid\n");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});

const PAID = { appName: "shop", userId: "ada", id: "paid" };

/** A process with the run on SQLite in FOLDER, and the managed service at PLATFORM. */
const PROGRAM = `
import { openManagedSessionStore, openSqliteStores, openVertexAiSessionService } from "#adapters/index.ts";
import { payRunner } from "#test/fakes/agent-platform/pay-runner.ts";
const { FOLDER: folder, PLATFORM: apiEndpoint } = process.env;
const { sessionService, runJournal } = await openSqliteStores({ folder });
const place = { project: "acme", location: "us-central1", agentEngineId: "1" };
const managed = await openVertexAiSessionService({ ...place, apiEndpoint });
const store = await openManagedSessionStore({ managed, sessionService, runJournal });
const { runner, begin } = payRunner({ store, folder });
const { run } = await runner.beginRun(begin);
await Array.fromAsync(runner.executeRun(run));
await store[Symbol.asyncDispose]();
`;
