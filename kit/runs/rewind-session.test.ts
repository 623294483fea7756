import { expect, it, onTestFinished, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { brief, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";

async function createWorld() {
  const model = new ScriptedModel(["one", "two"]);
  const world = await createAgentWorld(new LlmAgent({ name: "helper", model }));
  const [event] = await world.run("a");
  const rewind = (rewindBeforeInvocationId = event?.invocationId ?? "") =>
    world.runner.rewind({ userId: "ada", sessionId: "talk", rewindBeforeInvocationId });
  const texts = async () => (await world.session()).events.map(brief);
  const statuses = async () => (await world.store.list({})).runs.map(({ status }) => status);
  return { ...world, rewind, texts, statuses };
}

it("changes nothing for an invocation that the session does not have, and the next run begins", async () => {
  const { rewind, run, texts, statuses } = await createWorld();
  await expect(rewind("unknown")).rejects.toMatchObject({
    reason: "INVOCATION_NOT_FOUND",
    details: { sessionId: "talk", invocationId: "unknown" },
  });
  expect([await texts(), await statuses()]).toEqual([
    ["user: a", "helper: one"],
    ["failed", "succeeded"],
  ]);
  expect((await run("b")).map(brief)).toEqual(["helper: two"]);
});

it("reports that the store was unavailable, so that its caller tries again", async () => {
  const { rewind, store, texts } = await createWorld();
  vi.spyOn(store, "finish").mockRejectedValueOnce(new PlatformError("STORE_UNAVAILABLE", "away"));
  await expect(rewind()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE", message: "away" });
  expect(await texts()).toEqual(["user: a", "helper: one"]);
});

it("reports what else the store refused", async () => {
  const { rewind, store } = await createWorld();
  vi.spyOn(store, "finish").mockRejectedValueOnce(new PlatformError("MESSAGE_TOO_LARGE", "too large"));
  await expect(rewind()).rejects.toMatchObject({ reason: "MESSAGE_TOO_LARGE" });
});

it("renews no lease when it has ended", async () => {
  const { rewind } = await createWorld();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await rewind();
  expect(vi.getTimerCount()).toBe(0);
});

it("lets the run that waits behind it begin at its end", async () => {
  const { rewind, run, store, statuses } = await createWorld();
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const finish = store.finish.bind(store);
  vi.spyOn(store, "finish").mockImplementationOnce(async (...args) => {
    reached.resolve();
    await held.promise;
    return finish(...args);
  });
  const rewinding = rewind();
  await reached.promise;
  const next = run("b");
  await expect.poll(statuses).toContain("pending");
  held.resolve();
  await rewinding;
  expect((await next).map(brief)).toEqual(["helper: two"]);
});
