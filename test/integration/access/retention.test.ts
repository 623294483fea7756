import { expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { RetentionPass } from "#services/gateway/retention/retention-pass.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startBackEnds } from "#test/helpers/worlds/back-ends-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

it("a gateway deletes old sessions of all tenants in services that demand principals", async () => {
  verifies("retention:sessions");
  await using world = await startBackEnds();
  const { sessions, artifacts } = world.stores;
  const own = { appName: "weather", userId: "ada", id: "old" };
  const keys: readonly SessionKey[] = [own, { ...own, tenantId: "acme", userId: "bob" }];
  for (const session of keys) {
    await sessions.createSession(session);
    await artifacts.saveArtifact({ session, filename: "a.txt", artifact: { text: "file" } });
  }
  world.clock.advance(2 * DAY_MS);
  await sessions.createSession({ ...own, id: "new" });
  const { sessions: sessionService, artifacts: artifactService } = world.gateway;
  const deps = { sessionService, artifactService, clock: world.clock, logger: silentLogger };
  const rules = { defaults: { sessions: DAY_MS }, overrides: [] };
  const options = { rules, passId: "pass", signal: new AbortController().signal };
  expect(await new RetentionPass(deps, options).run()).toEqual({
    deleted: ["acme", "default"].map((tenantId) => ({ kind: "sessions", tenantId, appName: "weather", count: 1 })),
    failed: 0,
  });
  for (const session of keys) {
    expect(await sessions.getSession(session)).toBeUndefined();
    expect((await artifacts.listArtifactKeys(session)).filenames).toEqual([]);
  }
  expect(await sessions.getSession({ ...own, id: "new" })).toBeDefined();
});

it("a gateway deletes old records of runs of all tenants in a service that demands principals", async () => {
  verifies("retention:runs");
  await using world = await startBackEnds();
  const { sessions } = world.stores;
  const own = { appName: "weather", userId: "ada", id: "long" };
  const keys: readonly SessionKey[] = [own, { ...own, tenantId: "acme", userId: "bob" }];
  const run = async (session: SessionKey, runId: string) => {
    const names = { runId, session, invocationId: "i", request: {}, policy: "enqueue", holder: "runner" } as const;
    const begun = await sessions.begin({ ...names, leaseMs: 1000, haveRevision: 0 });
    if (begun.kind === "started")
      await sessions.finish({ lease: begun.lease, afterRevision: 0, events: [], status: "succeeded" });
  };
  for (const session of keys) await sessions.createSession(session);
  for (const session of keys) await run(session, "old");
  world.clock.advance(3 * DAY_MS);
  for (const session of keys) await run(session, "new");
  const { sessions: sessionService, artifacts: artifactService } = world.gateway;
  const deps = { sessionService, artifactService, clock: world.clock, logger: silentLogger };
  const rules = { defaults: { runs: DAY_MS }, overrides: [] };
  const options = { rules, passId: "pass", signal: new AbortController().signal };
  expect(await new RetentionPass(deps, options).run()).toEqual({
    deleted: ["acme", "default"].map((tenantId) => ({ kind: "runs", tenantId, appName: "weather", count: 1 })),
    failed: 0,
  });
  for (const session of keys) {
    const { runs } = await sessions.list({ session, tenantId: session.tenantId });
    expect(runs.map(({ runId }) => runId)).toEqual(["new"]);
    expect(await sessions.getSession(session)).toBeDefined();
  }
});

it("a gateway deletes old memory and results of all tenants in services that demand principals", async () => {
  verifies("retention:memory", "retention:results");
  await using world = await startBackEnds();
  const { memory, evaluations } = world.stores;
  const owners = [{ appName: "weather" }, { tenantId: "acme", appName: "weather" }];
  const add = async (id: string) => {
    const creationTimestamp = world.clock.now() / 1000;
    for (const owner of owners) {
      await memory.addMemoryEntries({ ...owner, userId: "ada" }, [{ id, content: { parts: [{ text: "tea" }] } }]);
      const names = { evalSetResultId: id, evalSetResultName: id, evalSetId: "smoke" };
      await evaluations.saveEvalSetResult(owner, { ...names, evalCaseResults: [], creationTimestamp });
    }
  };
  await add("old");
  world.clock.advance(2 * DAY_MS);
  await add("new");
  const {
    sessions: sessionService,
    artifacts: artifactService,
    memory: memoryService,
    evaluations: evalStore,
  } = world.gateway;
  const stores = { sessionService, artifactService, memoryService, evalStore };
  const rules = { defaults: { memory: DAY_MS, results: DAY_MS }, overrides: [] };
  const options = { rules, passId: "pass", signal: new AbortController().signal };
  const deps = { ...stores, clock: world.clock, logger: silentLogger };
  expect(await new RetentionPass(deps, options).run()).toEqual({
    deleted: ["memory", "results"].flatMap((kind) =>
      ["acme", "default"].map((tenantId) => ({ kind, tenantId, appName: "weather", count: 1 })),
    ),
    failed: 0,
  });
  for (const owner of owners) {
    const { memories } = await memory.searchMemory({ ...owner, userId: "ada" }, "tea");
    expect(memories.map(({ id }) => id)).toEqual(["new"]);
    expect(await evaluations.listEvalSetResults(owner)).toEqual(["new"]);
  }
});
