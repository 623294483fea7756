import { createAutomationClient } from "fairlead/client/automation";
import { expect, it, onTestFinished } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

async function startClient(settings: Readonly<Record<string, string>>) {
  const agent = new LlmAgent({ name: "greeter", model: thinking(() => "Hello") });
  const world = await startServerWorld({ agent, settings });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return createAutomationClient({ baseUrl: world.url, retry: { maxAttempts: 1 } });
}

it("creates, lists, changes, pauses, starts and deletes schedules", async () => {
  verifies("platform:client:automation");
  const { schedules } = await startClient({ SCHEDULES: "memory" });
  const given = { appName: "app", userId: "ada", cron: "0 9 * * *", text: "Hi", name: "morning" };
  const made = await schedules.create(given, { idempotencyKey: "one" });
  expect(made).toMatchObject({ name: "morning", cron: "0 9 * * *", source: "user", enabled: true, lastTicks: [] });
  expect((await schedules.create(given, { idempotencyKey: "one" })).id).toBe(made.id);
  expect(await schedules.list({ appName: "app", userId: "ada", pageSize: 5 })).toEqual({ schedules: [made] });
  expect(await schedules.update(made.id, { cron: "0 8 * * *", name: null })).not.toHaveProperty("name");
  expect(await schedules.pause(made.id)).toMatchObject({ enabled: false });
  expect(await schedules.resume(made.id)).toMatchObject({ enabled: true, cron: "0 8 * * *" });
  const run = await schedules.trigger(made.id);
  const [tick] = (await schedules.get(made.id)).lastTicks;
  expect(tick).toMatchObject({ outcome: "started", byHand: true, runId: run.runId });
  expect(await schedules.delete(made.id)).toBe(undefined);
  await expect(schedules.get(made.id)).rejects.toMatchObject({ reason: "SCHEDULE_NOT_FOUND" });
});

it("creates, lists, changes, tests and deletes webhooks, and replays their messages", async () => {
  verifies("platform:client:automation");
  const { webhooks } = await startClient({ WEBHOOKS: "memory" });
  const { secret, ...made } = await webhooks.create({ url: "https://hooks.example.com/", events: ["run.failed"] });
  expect([secret, made]).toEqual([expect.stringMatching(/^whsec_/), expect.objectContaining({ source: "user" })]);
  expect(await webhooks.list({ pageSize: 5 })).toEqual({ webhooks: [made] });
  expect(await webhooks.update(made.id, { enabled: false, apps: ["app"] })).toMatchObject({
    enabled: false,
    apps: ["app"],
    url: made.url,
  });
  expect((await webhooks.rotate(made.id, { overlapSeconds: 60 })).secret).not.toBe(secret);
  const sent = await webhooks.test(made.id);
  expect(sent).toMatchObject({ type: "webhook.test", webhookId: made.id });
  // The webhook is off.
  const dead = () => webhooks.deliveries(made.id, { state: "dead", pageSize: 5 });
  await expect.poll(dead).toMatchObject({ deliveries: [{ id: sent.id, problem: "the webhook is off" }] });
  expect(await webhooks.replay(made.id, sent.id)).toMatchObject({ id: sent.id, state: "waiting" });
  expect(await webhooks.delete(made.id)).toBe(undefined);
  await expect(webhooks.get(made.id)).rejects.toMatchObject({ reason: "WEBHOOK_NOT_FOUND" });
});

it("rejects with the server's reason where it keeps none", async () => {
  verifies("platform:client:automation");
  const { schedules, webhooks } = await startClient({});
  await expect(schedules.list()).rejects.toMatchObject({ reason: "SCHEDULES_OFF" });
  await expect(webhooks.list()).rejects.toMatchObject({ reason: "WEBHOOKS_OFF" });
});
