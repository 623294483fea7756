import { describe, expect, it, vi } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { toEventRecord } from "#kit/events/event-record.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { DEFAULT_TENANT, inTenant } from "#kit/names/tenant.ts";
import type { RunRequest } from "#kit/sessions/run-record.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { createRunnerService } from "../create-runner-service.ts";
import { closeAbandonedRuns, resumeAbandonedRuns } from "./close-abandoned-runs.ts";

describe("closeAbandonedRuns", () => {
  it("ends the runs that a process of the same name left open and frees the session", async () => {
    const held = heldStep("never");
    const world = await createRunnerWorld([held.step]);
    const first = await world.start("a");
    const second = await world.start("b");
    await held.begun;

    // A process that starts on the same stores after the old one has stopped.
    expect(await closeAbandonedRuns(world.deps)).toBe(2);
    const model = new ScriptedModel(["back"]);
    const next = createRunnerService({
      ...world.deps,
      agentLoader: new StaticAgentLoader([new LlmAgent({ name: "app", model })]),
    });
    const run = await next.startRun({ session: KEY, request: { newMessage: userContent("c") } });
    await world.read(run.runId);

    const records = await Promise.all([first, second, run].map(({ runId }) => world.store.get(runId)));
    expect(records.map((record) => [record?.status, record?.error?.reason])).toEqual([
      ["interrupted", "RUN_INTERRUPTED"],
      ["interrupted", "RUN_INTERRUPTED"],
      ["succeeded", undefined],
    ]);
    expect(await world.texts()).toEqual([
      "user: a",
      "app: RUN_INTERRUPTED",
      "user: b",
      "app: RUN_INTERRUPTED",
      "user: c",
      "app: back",
    ]);
    expect(model.requests[0]?.contents).toEqual([userContent("a"), userContent("b"), userContent("c")]);
  });

  it("has nothing to do after a clean end", async () => {
    const { deps, start, read, texts } = await createRunnerWorld([{ content: modelContent("hello") }]);
    await read((await start("hi")).runId);
    expect([await closeAbandonedRuns(deps), await texts()]).toEqual([0, ["user: hi", "app: hello"]]);
  });

  it("keeps the rest of a turn: no message that is stored or missing is added, and the last agent reports the end", async () => {
    const { deps, lose, store } = await createWorld();
    const begun = await lose("stored");
    const reply = { id: "e-1", invocationId: "e-stored", timestamp: 0 };
    const events = [
      createEvent({ ...reply, author: "user", content: userContent("stored") }),
      createEvent({ ...reply, id: "e-2", author: "helper", content: modelContent("well") }),
    ];
    await store.append({
      lease: begun.lease,
      leaseMs: 1000,
      afterRevision: 0,
      events: events.map((event) => toEventRecord(event)),
    });
    await lose("silent", {});
    expect(await closeAbandonedRuns(deps)).toBe(2);
    const told = async (id: string) =>
      (await store.getSession({ ...KEY, id }))?.events.map(({ author, errorCode }) => [author, errorCode]);
    expect([await told("stored"), await told("silent")]).toEqual([
      [
        ["user", undefined],
        ["helper", undefined],
        ["helper", "RUN_INTERRUPTED"],
      ],
      [["app", "RUN_INTERRUPTED"]],
    ]);
  });

  it("closes the other runs when one session is damaged, and leaves runs alone that have ended meanwhile", async () => {
    const { deps, lose, store, logger } = await createWorld();
    for (const runId of ["damaged", "ended", "whole"]) await lose(runId);
    const begin = store.begin.bind(store);
    store.begin = async (request) => {
      if (request.runId === "damaged") throw new PlatformError("STORE_UNAVAILABLE", "broken");
      if (request.runId === "ended") return { kind: "existing", run: (await begin(request)).run };
      return begin(request);
    };
    const finish = vi.spyOn(store, "finish");
    await closeAbandonedRuns(deps);
    expect(finish.mock.calls.map(([{ lease }]) => lease.runId)).toEqual(["whole"]);
    expect(logger.lines.map(({ message, fields }) => [message, fields["runId"] ?? fields["runs"]])).toEqual([
      ["an interrupted run could not be closed", "damaged"],
      ["closed interrupted runs", 3],
    ]);
  });

  it("logs nothing where it closed nothing", async () => {
    const { deps, logger } = await createWorld();
    await closeAbandonedRuns(deps);
    expect(logger.lines).toEqual([]);
  });
});

describe("resumeAbandonedRuns", () => {
  it("recovers the oldest sessions first, of all tenants, and their queued runs", async () => {
    const { deps, lose, store } = await createWorld();
    for (const [runId, tenantId] of [["a"], ["b", "acme"], ["c"]] as const) await lose(runId, undefined, tenantId);
    const queued = { invocationId: "i", request: {}, policy: "enqueue", holder: "here", leaseMs: 1000 } as const;
    const session = { ...KEY, tenantId: "acme", id: "b" };
    for (const runId of ["b2", "b3"]) await store.begin({ ...queued, runId, session, haveRevision: 0 });
    const recovered: string[] = [];
    await resumeAbandonedRuns(deps, {
      recover: async ({ runId, session: { tenantId } }) => recovered.push(`${tenantId ?? "default"} ${runId}`),
    });
    expect(recovered).toEqual(["default a", "acme b", "acme b2", "acme b3", "default c"]);
  });
});

/** A runner's parts, and runs of a lost process, each in a session of its own. */
async function createWorld() {
  const logger = new RecordingLogger();
  const world = await createRunnerWorld([], { logger });
  const { store, clock } = world;
  const lose = async (
    runId: string,
    request: RunRequest = { newMessage: userContent(runId) },
    tenantId: string = DEFAULT_TENANT,
  ) => {
    const session = { ...KEY, ...inTenant(tenantId), id: runId };
    await store.createSession(session);
    clock.advance(10);
    const begun = await store.begin({
      ...{ runId, session, invocationId: `e-${runId}`, request, policy: "enqueue" },
      ...{ holder: "here", leaseMs: 1000, haveRevision: 0 },
    });
    if (begun.kind !== "started") throw new Error("the run did not start");
    return begun;
  };
  return { ...world, logger, lose };
}
