import { Webhook } from "standardwebhooks";
import { expect, it, vi } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type ReceivedPush, startPushReceiver } from "#test/helpers/a2a/push-receiver.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { thinking } from "#test/helpers/worlds/resume-scenarios.ts";
import { startServerWorld } from "#test/helpers/worlds/server-world.ts";

interface Wire extends JsonObject {
  readonly id: string;
  readonly secret: string;
}

async function startWorld(settings: Readonly<Record<string, string>> = {}) {
  const agent = new LlmAgent({ name: "greeter", model: thinking(() => "Hello") });
  const world = await startServerWorld({
    agent,
    settings: { WEBHOOKS: "sqlite", OUTBOUND_ALLOWED_HOSTS: "127.0.0.1", ...settings },
  });
  const call = async (method: "GET" | "POST" | "PATCH", path: string, body?: object) => {
    const { status, text } = await world.send(method, `/v1/webhooks${path}`, body);
    return { status, body: JSON.parse(text) as Wire };
  };
  const create = async (url: string, members: object = {}) => {
    const { status, body } = await call("POST", "", { url, ...members });
    expect([status, body]).toEqual([201, body]);
    return body;
  };
  const deliveries = async (id: string, query = "") => {
    const { body } = await call("GET", `/${id}/deliveries${query}`);
    return body["deliveries"] as readonly JsonObject[];
  };
  return Object.assign(world, { call, create, deliveries });
}

const typeOf = ({ body }: ReceivedPush) => body["type"];

function verified(secret: string, { text, headers }: ReceivedPush): unknown {
  return new Webhook(secret).verify(text, headers as Record<string, string>);
}

it("reports the start and the end of a run, signed, to a receiver that knows only the specification", async () => {
  verifies("webhooks:form", "webhooks:calls");
  await using world = await startWorld();
  await using receiver = await startPushReceiver();
  const made = await world.create(`${receiver.url}/hook`, { name: "Ends", userId: "ada" });
  expect(made).toMatchObject({ name: "Ends", userId: "ada", enabled: true, secret: expect.stringMatching(/^whsec_/) });
  expect((await world.say("Hi")).status).toBe(200);
  await vi.waitFor(() => expect(receiver.taken.map(typeOf)).toEqual(["run.started", "run.succeeded"]));
  const [started, ended] = receiver.taken;
  if (started === undefined || ended === undefined) throw new Error("There are no messages.");
  expect([verified(made.secret, started), verified(made.secret, ended)]).toEqual([started.body, ended.body]);
  expect(ended.body).toEqual({
    type: "run.succeeded",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: {
      ...{ appName: "app", userId: "ada", sessionId: "talk", runId: expect.any(String) },
      ...{ invocationId: expect.any(String), status: "succeeded", createdTime: expect.any(Number) },
      ...{ startedTime: expect.any(Number), finishedTime: expect.any(Number) },
    },
  });
  expect(ended.path).toBe("/hook");
  await expect.poll(() => world.deliveries(made.id, "?state=delivered")).toHaveLength(2);
  expect((await world.deliveries(made.id)).map(({ id }) => id).toSorted()).toEqual(
    receiver.taken.map(({ headers }) => headers["webhook-id"]).toSorted(),
  );
  const shown = await world.call("GET", `/${made.id}`);
  const { secret: _, ...rest } = made;
  expect(shown).toEqual({ status: 200, body: rest });
  expect(await world.call("GET", "")).toEqual({ status: 200, body: { webhooks: [rest] } });
});

it("changes a webhook, replaces its secret, tests it, turns it off and deletes it", async () => {
  verifies("webhooks:form", "webhooks:calls");
  await using world = await startWorld();
  await using receiver = await startPushReceiver();
  const { id, secret } = await world.create(`${receiver.url}/a`, { name: "One" });
  const changed = await world.call("PATCH", `/${id}`, { name: null, url: `${receiver.url}/b`, apps: ["app"] });
  expect(changed.body).toMatchObject({ url: `${receiver.url}/b`, apps: ["app"] });
  expect(changed.body).not.toHaveProperty("name");
  const rotated = await world.call("POST", `/${id}/rotate`, {});
  expect(rotated).toMatchObject({ status: 200, body: { secret: expect.stringMatching(/^whsec_/) } });
  expect(rotated.body.secret).not.toBe(secret);
  const tested = await world.call("POST", `/${id}/test`);
  expect(tested).toMatchObject({ status: 202, body: { type: "webhook.test", state: "waiting" } });
  await vi.waitFor(() => expect(receiver.taken).toHaveLength(1));
  const [message] = receiver.taken;
  if (message === undefined) throw new Error("There is no message.");
  for (const each of [secret, rotated.body.secret]) expect(verified(each, message)).toEqual(message.body);
  expect([message.path, message.headers["webhook-id"]]).toEqual(["/b", tested.body.id]);
  await world.call("PATCH", `/${id}`, { enabled: false });
  await world.say("Hi");
  expect((await world.deliveries(id)).map(({ type }) => type)).toEqual(["webhook.test"]);
});

it("sends again what was delivered or given up, under the same id", async () => {
  verifies("webhooks:retries", "webhooks:calls");
  await using world = await startWorld();
  await using receiver = await startPushReceiver((answer, _push, count) =>
    count === 1 ? answer.writeHead(410).end("x".repeat(5000)) : answer.writeHead(200).end(),
  );
  const { id } = await world.create(receiver.url, { events: ["run.succeeded"] });
  await world.say("Hi");
  await expect.poll(() => world.deliveries(id)).toMatchObject([{ state: "dead", status: 410, attempts: 1 }]);
  const [dead] = await world.deliveries(id);
  expect(dead?.["answer"]).toBe("x".repeat(1024));
  expect((await world.call("GET", `/${id}`)).body).toMatchObject({ enabled: false, disabledReason: "gone" });
  expect((await world.call("PATCH", `/${id}`, { enabled: true })).body).not.toHaveProperty("disabledReason");
  const replayed = await world.call("POST", `/${id}/deliveries/${String(dead?.["id"])}/replay`);
  expect(replayed).toMatchObject({ status: 202, body: { id: dead?.["id"], state: "waiting" } });
  await expect.poll(() => world.deliveries(id)).toMatchObject([{ state: "delivered", status: 200 }]);
  expect(new Set(receiver.calls.map(({ headers, text }) => `${headers["webhook-id"]} ${text}`)).size).toBe(1);
});

it.each([
  [{ url: "http://169.254.169.254/latest" }, "url"],
  [{ url: "ftp://hooks.example.com" }, "url"],
  [{ url: "" }, "url"],
  [{ url: `https://hooks.example.com/${"x".repeat(3000)}` }, "url"],
  [{ url: "https://hooks.example.com", secret: "short" }, "secret"],
  [{ url: "https://hooks.example.com", events: [] }, "events"],
  [{ url: "https://hooks.example.com", apps: [] }, "apps"],
  [{ url: "https://hooks.example.com", name: "x".repeat(201) }, "name"],
])("refuses an unusable field (case %$)", async (body, field) => {
  verifies("webhooks:receivers");
  await using world = await startWorld();
  const answer = await world.call("POST", "", body);
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain(field);
});

it("follows no redirect, and says so", async () => {
  verifies("webhooks:receivers");
  await using world = await startWorld();
  await using other = await startPushReceiver();
  await using receiver = await startPushReceiver((answer) => answer.writeHead(307, { location: other.url }).end());
  const { id } = await world.create(receiver.url, { events: ["run.succeeded"] });
  await world.say("Hi");
  await expect
    .poll(() => world.deliveries(id))
    .toMatchObject([{ state: "waiting", attempts: 1, problem: "OUTBOUND_REDIRECT_REFUSED" }]);
  expect(other.calls).toEqual([]);
});

it("says that a server has no webhooks, and what it does not know", async () => {
  verifies("webhooks:calls");
  await using off = await startWorld({ WEBHOOKS: "off" });
  expect((await off.call("GET", "")).body).toMatchObject({ reason: "WEBHOOKS_OFF" });
  await using world = await startWorld();
  expect(await world.call("GET", "/none")).toMatchObject({ status: 404, body: { reason: "WEBHOOK_NOT_FOUND" } });
  const { id } = await world.create("https://hooks.example.com");
  const answer = await world.call("POST", `/${id}/deliveries/msg_x/replay`);
  expect(answer).toMatchObject({ status: 404, body: { reason: "DELIVERY_NOT_FOUND" } });
});

it("reports the end of an evaluation once, to the webhooks that want to hear of it", async () => {
  verifies("webhooks:evaluations");
  await using world = await startWorld();
  await using receiver = await startPushReceiver();
  const { secret } = await world.create(`${receiver.url}/ends`, { events: ["evaluation.finished"], apps: ["app"] });
  await world.create(`${receiver.url}/users`, { events: ["evaluation.finished"], userId: "ada" });
  await world.create(`${receiver.url}/others`, { events: ["evaluation.finished"], apps: ["other"] });
  const asked = { invocationId: "i", userContent: { role: "user", parts: [{ text: "Hi" }] } };
  const conversation = [{ ...asked, finalResponse: { role: "model", parts: [{ text: "Hello" }] } }];
  const evalSet = { evalSetId: "smoke", name: "smoke", evalCases: [{ evalId: "one", conversation }] };
  expect(await world.send("POST", "/apps/app/eval-sets", { evalSet })).toMatchObject({ status: 200 });
  const evalMetrics = [{ metricName: "response_match_score", threshold: 0.5 }];
  const started = await world.send("POST", "/v1/evals", { appName: "app", evalSetId: "smoke", evalMetrics });
  // The form of the answer, as the description of the API has it.
  const { jobId } = JSON.parse(started.text) as { readonly jobId: string };
  await vi.waitFor(() => expect(receiver.taken).toHaveLength(1), { timeout: 15_000 });
  const [message] = receiver.taken;
  if (message === undefined) throw new Error("Nothing arrived.");
  expect(verified(secret, message)).toEqual({
    type: "evaluation.finished",
    timestamp: expect.any(String),
    data: {
      ...{ jobId, appName: "app", evalSetId: "smoke", status: "succeeded" },
      counts: { total: 1, passed: 1, failed: 0 },
      ...{ createdTime: expect.any(Number), startedTime: expect.any(Number), finishedTime: expect.any(Number) },
    },
  });
});
