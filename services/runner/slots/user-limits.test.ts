import { describe, expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import type { ScriptedStep } from "#kit/testing/scripted-model.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { runnerConfigSchema } from "../config.ts";

const NEVER_ENDS: ScriptedStep = () => new Promise(() => {});

function refusal(limit: string) {
  return expect.objectContaining({ reason: "RUNNER_BUSY", details: { limit, retryAfterSeconds: "2" } });
}

describe("one user with the default settings", () => {
  it("takes a hundred of the thousand slots, and leaves the others to the other users", async () => {
    verifies("limits:runs-of-user");
    const { service, store } = await createRunnerWorld(Array.from({ length: 200 }, () => NEVER_ENDS));
    const startOf = async (userId: string, id: string) => {
      const session = { ...KEY, userId, id };
      await store.createSession(session);
      return service.startRun({ session, request: { newMessage: userContent("hi") } });
    };
    for (let index = 0; index < 100; index += 1) await startOf("eve", `session-${index}`);
    await expect(startOf("eve", "one-more")).rejects.toEqual(refusal("MAX_PROCESS_RUNS_PER_USER"));
    expect((await store.list({ session: { ...KEY, userId: "eve", id: "one-more" } })).runs).toEqual([]);
    expect(await startOf("bob", "one-more")).toMatchObject({ status: "running" });
    expect(service.load.busySlots).toBe(101);
    await service.abortRuns();
  });
});

describe("queued runs of one user", () => {
  it("are bounded over all sessions, and others may be queued when they have left", async () => {
    verifies("limits:runs-of-user");
    expect(loadConfig(runnerConfigSchema, {}).MAX_QUEUED_RUNS_PER_USER).toBe(500);
    const config = loadConfig(runnerConfigSchema, { MAX_QUEUED_RUNS_PER_USER: "2" });
    const { service, store } = await createRunnerWorld([NEVER_ENDS, NEVER_ENDS], { config });
    const start = (id: string) =>
      service.startRun({ session: { ...KEY, id }, request: { newMessage: userContent("hi") } });
    await store.createSession({ ...KEY, id: "a" });
    await store.createSession({ ...KEY, id: "b" });
    await start("a");
    await start("b");
    const queued = await start("a");
    await start("b");
    await expect(start("a")).rejects.toEqual(refusal("MAX_QUEUED_RUNS_PER_USER"));
    await service.cancelRun(queued.runId);
    expect(await start("b")).toMatchObject({ status: "pending" });
    await expect(start("a")).rejects.toEqual(refusal("MAX_QUEUED_RUNS_PER_USER"));
    await service.abortRuns();
  });
});
