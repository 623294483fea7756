import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JWK, jwtVerify } from "jose";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { startPushReceiver, wordOf } from "#test/helpers/a2a/push-receiver.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { writeCredentialKeys } from "#tooling/service-secrets.ts";

/** Answers twice, in chunks, or asks first. */
class Clerk extends BaseAgent {
  /** Opened by the test for the second answer to "halt". */
  readonly gate = Promise.withResolvers<void>();

  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const text = context.userContent?.parts?.[0]?.text;
    const say = (part: Part, rest: Partial<Event> = {}) =>
      context.createEvent({ content: { role: "model", parts: [part] }, ...rest });
    if (text === "ask")
      return yield say({ functionCall: { id: "c1", name: "ask_user", args: {} } }, { longRunningToolIds: ["c1"] });
    for (const answer of ["one", "two"]) {
      for (const chunk of answer) yield say({ text: chunk }, { partial: true });
      yield say({ text: answer });
      if (text === "halt") await this.gate.promise;
    }
  }
}

async function startServer(settings: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack();
  const config = loadConfig(standaloneConfigSchema, {
    ...{ HOST: "127.0.0.1", PORT: "0", DATA_DIR: agentsFolder({}).path, SESSION_STORE: "memory", DEV_UI: "false" },
    ...{ A2A_APPS: "*", A2A_PUSH: "memory", OUTBOUND_ALLOWED_HOSTS: "127.0.0.1", ...settings },
  });
  const desk = new Clerk({ name: "desk" });
  const agentLoader = new StaticAgentLoader([createApp({ name: "desk", rootAgent: desk })]);
  const server = stack.use(await createStandalone({ config, agentLoader, logger: new RecordingLogger() }));
  const call = async (method: string, path: string, body?: JsonObject) => {
    const answer = await fetch(`${server.url}/a2a/desk/${path}`, {
      method,
      headers: { "a2a-version": "1.0", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, json: JSON.parse(text.startsWith("{") ? text : "{}") as JsonObject };
  };
  const rpc = async (method: string, params: JsonObject, version = "1.0"): Promise<JsonObject> => {
    const answer = await fetch(`${server.url}/a2a/desk`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": version },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return (await answer.json()) as JsonObject;
  };
  const send = async (text: string, push?: JsonObject, given: JsonObject = {}): Promise<string> => {
    const message = { messageId: `m-${text}`, role: "ROLE_USER", parts: [{ text }], ...given };
    const configuration = { returnImmediately: true, taskPushNotificationConfig: push ?? null };
    const { json } = await call("POST", "message:send", { message, configuration });
    const { task } = json;
    if (!isJsonObject(task)) throw new Error(`There is no task in the answer: ${JSON.stringify(json)}`);
    return String(task["id"]);
  };
  const owned = stack.move();
  return { server, desk, call, rpc, send, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const ALL = ["WORKING", "one", "two", "COMPLETED"];

it("notifies of each update of a message's task in its order, with the given token and authentication", async () => {
  verifies("platform:a2a:push");
  await using world = await startServer();
  await using receiver = await startPushReceiver();
  const authentication = { scheme: "Bearer", credentials: "secret" };
  const taskId = await world.send("hello", { id: "h1", url: `${receiver.url}/hook`, token: "token-1", authentication });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(ALL));
  const [first] = receiver.taken;
  expect(first).toMatchObject({
    path: "/hook",
    headers: {
      "content-type": "application/a2a+json",
      "x-a2a-notification-token": "token-1",
      authorization: "Bearer secret",
    },
    body: { statusUpdate: { taskId } },
  });
  const stored = await world.call("GET", `tasks/${taskId}/pushNotificationConfigs/h1`);
  expect(stored.json).toEqual({
    ...{ id: "h1", taskId, url: `${receiver.url}/hook` },
    authentication: { scheme: "Bearer" },
  });
  const metrics = await (await fetch(`${world.server.url}/metrics`)).text();
  expect(metrics).toContain('fairlead_push_notifications_total{outcome="delivered"} 4');
});

it("signs a notification whose client gave no authentication, for its receiver and its body", async () => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const folder = mkdtempSync(join(tmpdir(), "push-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key.pem");
  writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }));
  await using world = await startServer({ A2A_SIGNING_KEYS_FILE: file });
  await using receiver = await startPushReceiver();
  await world.send("hello", { url: `${receiver.url}/hook`, token: "token-1" });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(ALL));
  const { keys } = (await (await fetch(`${world.server.url}/.well-known/jwks.json`)).json()) as { keys: JWK[] };
  for (const { headers, text } of receiver.taken) {
    const token = String(headers.authorization).replace(/^Bearer /, "");
    const [kid] = keys.map((key) => key.kid);
    const audience = `${receiver.url}/hook`;
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
      audience,
      requiredClaims: ["exp", "iat"],
    });
    expect(protectedHeader).toMatchObject({ alg: "ES256", typ: "JWT", kid });
    expect(payload["request_body_sha256"]).toBe(createHash("sha256").update(text).digest("hex"));
  }
});

it("notifies of the run that answers a waiting task, by whatever way the answer comes", async () => {
  verifies("platform:a2a:push");
  await using world = await startServer();
  await using receiver = await startPushReceiver();
  const taskId = await world.send("ask", { url: receiver.url });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(["WORKING", "INPUT_REQUIRED"]));
  await world.send("go", undefined, { taskId });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(["WORKING", "INPUT_REQUIRED", ...ALL]));
  const ids = receiver.taken.map(({ body }) => JSON.stringify(body).includes(`"taskId":"${taskId}"`));
  expect(new Set(ids)).toEqual(new Set([true]));
});

it("notifies of what follows a configuration of a task in progress, and of nothing after its end", async () => {
  await using world = await startServer();
  await using receiver = await startPushReceiver();
  const taskId = await world.send("halt");
  await vi.waitFor(async () => {
    const { json } = await world.call("GET", `tasks/${taskId}`);
    expect(JSON.stringify(json)).toContain('"one"');
  });
  const path = `tasks/${taskId}/pushNotificationConfigs`;
  const created = await world.call("POST", path, { id: "late", url: receiver.url });
  expect(created).toMatchObject({ status: 200, json: { id: "late", taskId } });
  world.desk.gate.resolve();
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(["two", "COMPLETED"]));
  expect((await world.call("POST", path, { id: "later", url: receiver.url })).status).toBe(200);
  const { json } = await world.call("GET", path);
  expect(json).toMatchObject({ configs: [{ taskId }, { taskId }] });
  expect(await world.call("DELETE", `${path}/late`)).toMatchObject({ status: 200, json: {} });
  expect(await world.call("DELETE", `${path}/late`)).toMatchObject({ status: 200 });
  expect((await world.call("GET", `${path}/late`)).status).toBe(404);
  expect(receiver.calls).toHaveLength(2);
});

it("sends an update again that its receiver refused, before the next one", async () => {
  verifies("platform:a2a:push");
  await using world = await startServer();
  // Three of the first ten calls.
  const refused = new Set([2, 3, 5]);
  await using receiver = await startPushReceiver((answer, _, count) => {
    answer.writeHead(refused.has(count) ? 500 : 200, { "retry-after": "0" }).end("thank you");
  });
  await world.send("hello", { url: receiver.url });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(ALL), { timeout: 20_000, interval: 100 });
  expect(receiver.calls.map(wordOf)).toEqual(["WORKING", "one", "one", "one", "two", "two", "COMPLETED"]);
}, 30_000);

it("continues after a restart with the run that it had not notified of, and then with the next one", async () => {
  verifies("platform:a2a:push");
  let isBroken = true;
  await using receiver = await startPushReceiver((answer) => answer.writeHead(isBroken ? 500 : 200).end());
  const folder = agentsFolder({}).path;
  const settings = { DATA_DIR: folder, SESSION_STORE: "sqlite", A2A_PUSH: "sqlite" };
  {
    await using first = await startServer(settings);
    const taskId = await first.send("ask", { url: receiver.url, token: "kept-secret" });
    await vi.waitFor(() => expect(receiver.calls).toHaveLength(1));
    await first.send("go", undefined, { taskId });
    await vi.waitFor(async () => {
      expect(JSON.stringify(await first.call("GET", `tasks/${taskId}`))).toContain("COMPLETED");
    });
  }
  isBroken = false;
  await using _second = await startServer(settings);
  // The streams of the runs ended with the first process.
  await vi.waitFor(() => expect(receiver.taken.map(wordOf).at(-1)).toBe("COMPLETED"), { timeout: 20_000 });
  expect(receiver.taken.map(wordOf)).toEqual(["WORKING", "INPUT_REQUIRED", ...ALL]);
  expect(receiver.taken.at(-1)?.headers).toMatchObject({ "x-a2a-notification-token": "kept-secret" });
}, 30_000);

it("notifies others while a receiver does not answer", async () => {
  verifies("platform:a2a:push");
  await using world = await startServer();
  await using silent = await startPushReceiver(() => {});
  await using receiver = await startPushReceiver();
  for (const text of Array.from({ length: 20 }, (_, index) => `silent-${index}`))
    await world.send(text, { url: silent.url });
  await vi.waitFor(() => expect(silent.calls.length).toBeGreaterThan(0));
  await world.send("hello", { url: receiver.url });
  await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(ALL));
  // Of one user and host.
  expect(silent.calls.length).toBeLessThanOrEqual(8);
});

it("calls no address of its own network that it may not call, and follows no redirect", async () => {
  await using inner = await startPushReceiver();
  await using redirecting = await startPushReceiver((answer) => {
    answer.writeHead(307, { location: `${inner.url}/inner`, "retry-after": "0" }).end();
  });
  await using world = await startServer({ OUTBOUND_ALLOWED_HOSTS: redirecting.host });
  const taskId = await world.send("hello", { url: redirecting.url });
  const path = `tasks/${taskId}/pushNotificationConfigs`;
  const urls = [
    inner.url,
    "http://10.0.0.1/",
    "http://169.254.169.254/latest",
    "http://localhost/",
    "ftp://a.example/",
  ];
  for (const url of urls) {
    const { status, json } = await world.call("POST", path, { url });
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain("`url`");
  }
  await vi.waitFor(() => expect(redirecting.calls.length).toBeGreaterThan(1), { timeout: 10_000 });
  expect(inner.calls).toEqual([]);
}, 20_000);

it.each([
  ["url", { url: "" }],
  ["url", { url: `https://a.example/${"x".repeat(3000)}` }],
  ["id", { url: "https://a.example/", id: "x".repeat(300) }],
  ["token", { url: "https://a.example/", token: "a\r\nx: y" }],
  ["authentication.scheme", { url: "https://a.example/", authentication: { scheme: "Bea rer", credentials: "a" } }],
  [
    "authentication.credentials",
    { url: "https://a.example/", authentication: { scheme: "Bearer", credentials: "x".repeat(5000) } },
  ],
])("refuses a configuration with a wrong %s, and names it", async (member, config) => {
  await using world = await startServer();
  const taskId = await world.send("hello");
  const { status, json } = await world.call("POST", `tasks/${taskId}/pushNotificationConfigs`, config);
  expect(status).toBe(400);
  expect(JSON.stringify(json)).toContain(`\`${member}\``);
  const message = { messageId: "m-2", role: "ROLE_USER", parts: [{ text: "hello" }] };
  const refused = await world.call("POST", "message:send", {
    message,
    configuration: { taskPushNotificationConfig: config },
  });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.json)).toContain(`taskPushNotificationConfig.${member}\``);
});

it("notifies clients of 0.3 with the task as it stands", async () => {
  await using world = await startServer();
  await using receiver = await startPushReceiver();
  const message = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hello" }] };
  const pushNotificationConfig = {
    url: receiver.url,
    token: "t",
    authentication: { schemes: ["Basic"], credentials: "YQ==" },
  };
  const { result } = await world.rpc("message/send", { message, configuration: { pushNotificationConfig } }, "0.3");
  const id = isJsonObject(result) ? String(result["id"]) : "";
  await vi.waitFor(() => expect(receiver.taken).toHaveLength(4));
  const last = receiver.taken.at(-1);
  expect(last?.headers).toMatchObject({ authorization: "Basic YQ==", "x-a2a-notification-token": "t" });
  expect(last?.body).toMatchObject({ kind: "task", id, status: { state: "completed" } });
  const config = { taskId: id, pushNotificationConfig: { id: "other", url: receiver.url } };
  expect(await world.rpc("tasks/pushNotificationConfig/set", config, "0.3")).toMatchObject({ result: config });
  const named = { id, pushNotificationConfigId: "other" };
  expect(await world.rpc("tasks/pushNotificationConfig/get", named, "0.3")).toMatchObject({ result: config });
  const listed = await world.rpc("tasks/pushNotificationConfig/list", { id }, "0.3");
  expect(listed["result"]).toHaveLength(2);
  expect(await world.rpc("tasks/pushNotificationConfig/delete", named, "0.3")).toMatchObject({ result: null });
  const path = `v1/tasks/${id}/pushNotificationConfigs`;
  const body = { parent: `tasks/${id}`, configId: "rest", config: { pushNotificationConfig: { url: receiver.url } } };
  const name = `tasks/${id}/pushNotificationConfigs/rest`;
  expect(await world.call("POST", path, body)).toMatchObject({ status: 200, json: { name } });
  expect((await world.call("GET", `${path}/rest`)).json).toMatchObject({ name });
  expect((await world.call("GET", path)).json).toMatchObject({ configs: [{}, {}] });
  expect((await world.call("DELETE", `${path}/rest`)).status).toBe(200);
  const wrong: readonly JsonValue[] = [
    null,
    "x",
    { url: 1 },
    { url: "https://a.example/", authentication: { schemes: "Basic" } },
  ];
  for (const pushNotificationConfig of wrong) {
    const { error } = await world.rpc(
      "tasks/pushNotificationConfig/set",
      { taskId: id, pushNotificationConfig },
      "0.3",
    );
    expect(JSON.stringify(error)).toContain("pushNotificationConfig");
  }
});

it("forgets the configurations of a deleted session, and refuses them where they are off", async () => {
  await using world = await startServer();
  const created = await world.rpc("SendMessage", {
    message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "ask" }] },
    configuration: { taskPushNotificationConfig: { url: "https://a.example/" } },
  });
  const { result } = created;
  const task = isJsonObject(result) ? result["task"] : undefined;
  if (!isJsonObject(task)) throw new Error("There is no task.");
  const contextId = String(task["contextId"]);
  const path = `/apps/desk/users/A2A_USER_${contextId}/sessions/${contextId}`;
  expect((await fetch(world.server.url + path, { method: "DELETE" })).status).toBe(200);
  const listed = await world.rpc("ListTaskPushNotificationConfigs", { taskId: String(task["id"]) });
  expect(listed).toMatchObject({ error: { code: -32001 } });

  await using off = await startServer({ A2A_PUSH: "off" });
  const taskId = await off.send("hello");
  expect(await off.rpc("ListTaskPushNotificationConfigs", { taskId })).toMatchObject({ error: { code: -32003 } });
  const card = await (await fetch(`${off.server.url}/a2a/desk/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({ capabilities: { pushNotifications: false } });
});

describe.skipIf(whyNoFirestore() !== undefined)("with Firestore", { timeout: 90_000 }, () => {
  const firestore = useFirestore();

  it("a server notifies of what the task does after a server before it has ended", async () => {
    verifies("platform:a2a:push");
    const folder = mkdtempSync(join(tmpdir(), "push-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const settings = {
      ...{ SESSION_STORE: "firestore", A2A_PUSH: "firestore", CREDENTIAL_KEYS_FILE: writeCredentialKeys(folder) },
      ...{ FIRESTORE_PROJECT_ID: firestore.newProject(), FIRESTORE_EMULATOR_HOST: firestore.host() },
    };
    await using receiver = await startPushReceiver();
    const token = "token-1";
    let taskId: string;
    {
      await using world = await startServer(settings);
      taskId = await world.send("ask", { url: receiver.url, token });
      await vi.waitFor(() => expect(receiver.taken.map(wordOf)).toEqual(["WORKING", "INPUT_REQUIRED"]), {
        timeout: 20_000,
      });
    }
    await using world = await startServer(settings);
    await world.send("go", undefined, { taskId });
    // An emulator on a busy machine can outlast the lease of a delivery, which then is repeated, as it is.
    const different = () => new Map(receiver.taken.map((push) => [JSON.stringify(push.body), wordOf(push)]));
    await vi.waitFor(() => expect([...different().values()]).toEqual(["WORKING", "INPUT_REQUIRED", ...ALL]), {
      timeout: 20_000,
    });
    for (const { headers } of receiver.taken) expect(headers["x-a2a-notification-token"]).toBe(token);
  });
});
