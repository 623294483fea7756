import { expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

interface Wire extends JsonObject {
  readonly id: string;
  readonly lastTicks: readonly JsonObject[];
}

const NINE = { appName: "app", userId: "ada", cron: "0 9 * * *", timeZone: "Europe/Berlin", text: "Good morning" };

async function startWorld(settings: Readonly<Record<string, string>> = {}) {
  const agent = new LlmAgent({ name: "greeter", model: thinking(() => "Hello") });
  const world = await startServerWorld({ agent, settings: { SCHEDULES: "sqlite", ...settings } });
  const call = async (method: "GET" | "POST" | "PATCH", path: string, body?: object) => {
    const { status, text } = await world.send(method, `/v1/schedules${path}`, body);
    return { status, body: JSON.parse(text) as Wire };
  };
  const create = async (members: object = {}) => {
    const { status, body } = await call("POST", "", { ...NINE, ...members });
    expect([status, body]).toEqual([201, body]);
    return body;
  };
  return Object.assign(world, { call, create });
}

it("creates a schedule, shows, changes, pauses and resumes it", async () => {
  verifies("schedules:calls");
  await using world = await startWorld();
  const { call, create } = world;
  const made = await create({ name: "Morning", stateDelta: { mood: "good" }, overlap: "queue", catchUp: "all" });
  expect(made).toEqual({
    ...{ id: expect.any(String), appName: "app", userId: "ada", name: "Morning", source: "user" },
    ...{ cron: "0 9 * * *", timeZone: "Europe/Berlin", stateDelta: { mood: "good" } },
    newMessage: { role: "user", parts: [{ text: "Good morning" }] },
    ...{ overlap: "queue", catchUp: "all", enabled: true, lastTicks: [] },
    nextTime: expect.any(Number),
    createdTime: expect.any(Number),
    updatedTime: expect.any(Number),
  });
  expect(await call("GET", `/${made.id}`)).toEqual({ status: 200, body: made });
  expect(await call("GET", "?userId=ada")).toEqual({ status: 200, body: { schedules: [made] } });
  expect(await call("GET", "?userId=bob")).toEqual({ status: 200, body: { schedules: [] } });
  const paused = await call("POST", `/${made.id}/pause`);
  expect(paused.body).toMatchObject({ enabled: false });
  expect(paused.body).not.toHaveProperty("nextTime");
  expect((await call("POST", `/${made.id}/resume`)).body).toMatchObject({ enabled: true, nextTime: made["nextTime"] });
  const changed = await call("PATCH", `/${made.id}`, { name: null, stateDelta: null, timeZone: "UTC", text: "Hi" });
  const { name: _, stateDelta: __, ...rest } = made;
  expect(changed.body).toEqual({
    ...rest,
    timeZone: "UTC",
    newMessage: { role: "user", parts: [{ text: "Hi" }] },
    nextTime: expect.any(Number),
    updatedTime: expect.any(Number),
  });
  expect(changed.body["nextTime"]).not.toBe(made["nextTime"]);
});

it("starts a run at its time, and now if it is asked to", async () => {
  verifies("schedules:calls");
  await using world = await startWorld();
  const { call, create } = world;
  const { cron: _, timeZone: __, ...once } = NINE;
  const { status, body: made } = await call("POST", "", { ...once, at: toIsoTime(systemClock.now() + 300) });
  expect(status).toBe(201);
  await expect
    .poll(async () => (await call("GET", `/${made.id}`)).body.lastTicks)
    .toMatchObject([{ outcome: "started", sessionId: expect.stringContaining(made.id) }]);
  const daily = await create({ sessionId: "talk" });
  const { status: accepted, body: run } = await call("POST", `/${daily.id}/trigger`);
  expect([accepted, run]).toMatchObject([202, { appName: "app", userId: "ada", sessionId: "talk" }]);
  await expect.poll(() => world.stored()).toEqual(["user: Good morning", "greeter: Hello"]);
  expect((await call("GET", `/${daily.id}`)).body.lastTicks).toMatchObject([
    { outcome: "started", runId: run["runId"], byHand: true },
  ]);
});

it.each<[object, string | undefined]>([
  [{ cron: "0 9 * *" }, "cron"],
  [{ cron: null }, "cron"],
  [{ at: "2099-01-01T00:00:00Z" }, "at"],
  [{ cron: null, timeZone: null, at: "2020-01-01T00:00:00Z" }, "at"],
  [{ cron: null, timeZone: null, at: "2099-02-31T00:00" }, "at"],
  [{ cron: null, at: "2099-01-01T00:00:00Z" }, "timeZone"],
  [{ timeZone: "Mars/Olympus" }, "timeZone"],
  [{ text: null }, "text"],
  [{ newMessage: { parts: [{ text: "a" }] } }, "text"],
  [{ text: "x".repeat(70_000) }, "newMessage"],
  [{ name: "x".repeat(201) }, "name"],
  [{ catchUp: "all" }, "catchUp"],
  [{ overlap: "never" }, undefined],
  [{ sessionId: "a\u0000b" }, "sessionId"],
  [{ userId: "" }, "userId"],
  [{ stateDelta: { "app:x": 1 } }, undefined],
  [{ stateDelta: { _adk_x: 1 } }, undefined],
  [{ appName: "none" }, undefined],
])("refuses %j and names the field", async (members, field) => {
  verifies("schedules:calls");
  await using world = await startWorld();
  const { status, body } = await world.call("POST", "", { ...NINE, ...members });
  expect([400, 403, 404, 422]).toContain(status);
  if (field !== undefined) expect([body["reason"], body["details"]]).toMatchObject([expect.any(String), { field }]);
  expect((await world.call("GET", "")).body).toEqual({ schedules: [] });
});

it("refuses schedules of a user beyond the limit, and times that are too close", async () => {
  verifies("schedules:limits");
  await using world = await startWorld({ MAX_SCHEDULES_PER_USER: "1", SCHEDULE_MIN_SECONDS: "3600" });
  expect((await world.call("POST", "", { ...NINE, cron: "*/30 * * * *" })).body).toMatchObject({
    reason: "INVALID_FIELD",
    details: { field: "cron" },
  });
  await world.create();
  expect((await world.call("POST", "", NINE)).body).toMatchObject({ reason: "TOO_MANY_SCHEDULES", status: 429 });
  await world.create({ userId: "bob" });
});

it("exports and deletes the schedules of a user", async () => {
  verifies("schedules:data");
  await using world = await startWorld();
  const { id } = await world.create();
  const others = await world.create({ userId: "bob" });
  const { text } = await world.send("GET", "/v1/tenants/default/export?userId=ada");
  expect(text.split("\n").filter((line) => line.includes('"kind":"schedule"'))).toEqual([expect.stringContaining(id)]);
  const response = await fetch(`${world.url}/v1/tenants/default?userId=ada`, { method: "DELETE" });
  expect(await response.json()).toMatchObject({ isDone: true, deleted: { schedules: 1 } });
  expect((await world.call("GET", "")).body).toEqual({ schedules: [others] });
});

it("says how to switch schedules on where they are off", async () => {
  verifies("schedules:calls");
  await using world = await startWorld({ SCHEDULES: "off" });
  for (const [method, path] of [
    ["POST", ""],
    ["GET", ""],
    ["GET", "/x"],
    ["POST", "/x/trigger"],
  ] as const)
    expect((await world.call(method, path, method === "POST" ? NINE : undefined)).body).toMatchObject({
      reason: "SCHEDULES_OFF",
      message: "This server keeps no schedules: set SCHEDULES, for example to sqlite.",
    });
});
