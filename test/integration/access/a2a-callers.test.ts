import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { TabularPushStore } from "#ports/push/tabular-push-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { type CallerName, callerNamed, isNamed } from "./matrix-callers.ts";
import { startOneProcess } from "./one-process-server.ts";

const MESSAGE = { role: "ROLE_USER", parts: [{ text: "planted-by-the-owner" }], messageId: "m1", contextId: "context" };

/** All methods of the protocol, each with its place in HTTP+JSON, the scope that it needs and its answer to who has it. */
const METHODS = [
  ["SendMessage", "POST message:send", "runs:write", 200],
  ["SendStreamingMessage", "POST message:stream", "runs:write", 200],
  ["GetTask", "GET tasks/{id}", "sessions:read", 200],
  ["ListTasks", "GET tasks", "sessions:read", 200],
  ["CancelTask", "POST tasks/{id}:cancel", "runs:write", 400],
  ["SubscribeToTask", "GET tasks/{id}:subscribe", "sessions:read", 400],
  ["CreateTaskPushNotificationConfig", "POST tasks/{id}/pushNotificationConfigs", "runs:write", 200],
  ["GetTaskPushNotificationConfig", "GET tasks/{id}/pushNotificationConfigs/hook", "sessions:read", 200],
  ["ListTaskPushNotificationConfigs", "GET tasks/{id}/pushNotificationConfigs", "sessions:read", 200],
  ["DeleteTaskPushNotificationConfig", "DELETE tasks/{id}/pushNotificationConfigs/hook", "runs:write", 200],
] as const;

const CREATE_PUSH = "POST tasks/{id}/pushNotificationConfigs";
const HOOK = { id: "hook", url: "https://hooks.example.com/" };
type Verb = "GET" | "POST" | "DELETE";

interface Door {
  /** The app that is offered. */
  readonly app: string;
  ask(
    caller: CallerName,
    method: Verb,
    url: string,
    payload?: object,
  ): Promise<{ readonly status: number; readonly body: string }>;
}

type Settings = Readonly<Record<string, string>>;

const byName: Authenticator = {
  authenticate: ({ headers: { "x-caller": name } }) => {
    if (name === "expired") throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
    return typeof name === "string" && isNamed(name) ? callerNamed(name) : undefined;
  },
};

async function startEcho({ A2A_APPS = "echo", ...settings }: Settings = {}) {
  const world = await startGateway({
    config: { A2A_PUSH: "memory", DEFAULT_APP_NAME: "echo", ...settings, A2A_APPS: A2A_APPS.split(",") },
    deps: { pushStore: new TabularPushStore({ table: new InMemoryRowTable() }), authenticators: [byName] },
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return (method: Verb, url: string, caller = "anonymous", payload?: object) => {
    const headers = { "a2a-version": "1.0", "x-caller": caller };
    return world.gateway.inject({ method, url, headers, ...(payload && { payload }) });
  };
}

/** A gateway with stores in memory and a runner of the test. */
async function openGateway(settings: Settings): Promise<Door> {
  const inject = await startEcho(settings);
  return {
    app: "echo",
    ask: async (caller, method, url, payload) => {
      const { statusCode, body } = await inject(method, url, caller, payload);
      return { status: statusCode, body };
    },
  };
}

/** The whole server, with its stores on disk. */
async function openOneProcess(settings: Settings): Promise<Door> {
  const server = await startOneProcess({ A2A_APPS: "weather", A2A_PUSH: "sqlite", ...settings });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return {
    app: "weather",
    ask: async (caller, method, url, payload) => {
      const headers = { "a2a-version": "1.0" };
      const { status, text } = await server.send({ method, url, headers, ...(payload && { payload }) }, caller);
      return { status: Number(status), body: text };
    },
  };
}

async function startDoor(open: (settings: Settings) => Promise<Door>, settings: Settings = {}) {
  const door = await open(settings);
  const { app } = door;
  const rpc = (caller: CallerName, method: string, id: string) =>
    door.ask(caller, "POST", `/a2a/${app}`, {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: method.includes("Push") ? { ...HOOK, taskId: id } : { id, message: MESSAGE },
    });
  const http = (caller: CallerName, place: string, id: string) => {
    const [method = "", path = ""] = place.replace("{id}", id).split(" ");
    const bodies = { "POST message:send": { message: MESSAGE }, "POST message:stream": { message: MESSAGE } };
    const body = place === CREATE_PUSH ? HOOK : bodies[place as keyof typeof bodies];
    // The table has these methods only.
    return door.ask(caller, method as Verb, `/a2a/${app}/${path}`, body);
  };
  return { ...door, rpc, http };
}

/** With a task of the owner, who is notified of it. */
async function startWorld(open: (settings: Settings) => Promise<Door>) {
  const door = await startDoor(open);
  // The form of the answer to a message.
  const sent = JSON.parse((await door.http("owner", "POST message:send", "")).body) as { task: { id: string } };
  const taskId = sent.task.id;
  expect((await door.http("owner", CREATE_PUSH, taskId)).status).toBe(200);
  const task = async () => [
    (await door.http("owner", "GET tasks/{id}", taskId)).body,
    (await door.http("owner", "GET tasks/{id}/pushNotificationConfigs", taskId)).body,
    (await door.http("owner", "GET tasks", taskId)).body,
  ];
  const before = await task();
  const changes = async () => expect(await task()).toEqual(before);
  return { ...door, taskId, expectUnchanged: changes };
}

describe.each([
  ["a gateway", openGateway],
  ["one process", openOneProcess],
] as const)("operations of A2A in %s", (_, open) => {
  it.each(METHODS)("%s needs credentials and its scope, in both bindings", async (method, place, scope, status) => {
    verifies("platform:a2a:access");
    const { rpc, http, taskId, expectUnchanged } = await startWorld(open);
    const without = `without ${scope}`;
    for (const ask of [
      (caller: CallerName) => rpc(caller, method, taskId),
      (caller: CallerName) => http(caller, place, taskId),
    ]) {
      for (const caller of ["anonymous", "expired"] as const)
        expect([caller, (await ask(caller)).status]).toEqual([caller, 401]);
      for (const caller of ["operator", isNamed(without) ? without : "operator"] as const)
        expect([caller, (await ask(caller)).status]).toEqual([caller, 403]);
      expect((await ask("outsider")).status).toBe(404);
    }
    await expectUnchanged();
    expect((await http("owner", place, taskId)).status).toBe(status);
  });

  it.each(METHODS.filter(([, place]) => place.includes("{id}")))(
    "%s answers for the task of others like for none",
    async (method, place) => {
      verifies("platform:a2a:access");
      const { rpc, http, taskId, expectUnchanged } = await startWorld(open);
      for (const caller of ["eve", "twin", "foreignAdmin"] as const) {
        expect((await rpc(caller, method, taskId)).body).toBe((await rpc(caller, method, "absent")).body);
        const foreign = await http(caller, place, taskId);
        expect([foreign.status, foreign.body]).toEqual([404, (await http(caller, place, "absent")).body]);
      }
      await expectUnchanged();
    },
  );

  it("answers for an app that rules close to the caller like for one that does not exist", async () => {
    verifies("platform:a2a:access", "authentication:apps");
    const rules = { apps: Object.fromEntries(["echo", "weather"].map((name) => [name, { users: ["treasurer"] }])) };
    const folder = agentsFolder({ "rules.yaml": JSON.stringify(rules) });
    const door = await startDoor(open, { A2A_APPS: "*", APP_RULES_FILE: join(folder.path, "rules.yaml") });
    const ask = async (app: string, [method, place]: readonly [string, string]) => {
      const [verb = "", path = ""] = place.replace("{id}", "absent").split(" ");
      const rpc = { jsonrpc: "2.0", id: 1, method, params: { id: "absent", taskId: "absent", message: MESSAGE } };
      const body = path.startsWith("message") ? { message: MESSAGE } : undefined;
      const answers = [
        await door.ask("owner", "POST", `/a2a/${app}`, rpc),
        // The table has these methods only.
        await door.ask("owner", verb as Verb, `/a2a/${app}/${path}`, body),
      ];
      return answers.map(({ status, body: text }) => [status, text.replaceAll(app, "APP")]);
    };
    for (const [method, place] of METHODS) {
      const closed = await ask(door.app, [method, place]);
      expect(closed.map(([status]) => status)).toEqual([404, 404]);
      expect([method, closed]).toEqual([method, await ask("none", [method, place])]);
    }
    expect((await door.ask("owner", "GET", `/a2a/${door.app}/extendedAgentCard`)).status).toBe(404);
  });

  it("lists to each caller its own tasks", async () => {
    verifies("platform:a2a:access");
    const { http } = await startWorld(open);
    const idsOf = async (caller: CallerName) => {
      // The form of a list.
      const { tasks } = JSON.parse((await http(caller, "GET tasks", "")).body) as { tasks: readonly { id: string }[] };
      return tasks.length;
    };
    const callers = ["owner", "eve", "twin", "admin", "foreignAdmin"] as const;
    expect(await Promise.all(callers.map(idsOf))).toEqual([1, 0, 0, 1, 0]);
  });

  it("gives the same context of two users a session for each", async () => {
    verifies("platform:a2a:access");
    const { http, taskId, expectUnchanged } = await startWorld(open);
    const ids = new Set([taskId]);
    for (const caller of ["eve", "twin"] as const) {
      const { body } = await http(caller, "POST message:send", "");
      expect(body).toContain('"TASK_STATE_COMPLETED"');
      // The form of the answer to a message.
      ids.add((JSON.parse(body) as { task: { id: string } }).task.id);
    }
    expect(ids.size).toBe(3);
    await expectUnchanged();
  });
});

it("publishes the card of an offered app, in either version, and the extended one to callers", async () => {
  verifies("platform:a2a:card");
  const inject = await startEcho();
  const card = await inject("GET", "/.well-known/agent-card.json");
  expect(card.json()).toMatchObject({
    name: "echo",
    supportedInterfaces: [
      { url: "http://localhost:80/a2a/echo", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { protocolBinding: "JSONRPC", protocolVersion: "0.3" },
      { protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    skills: [{ id: "echo" }],
  });
  const etag = String(card.headers["etag"]);
  const again = await inject("GET", "/a2a/echo/.well-known/agent-card.json");
  expect([again.headers["etag"], again.headers["cache-control"]]).toEqual([etag, "public, max-age=300"]);
  const older = await inject("GET", "/a2a/echo/.well-known/agent-card.json?A2A-Version=0.3");
  expect(older.statusCode).toBe(200);
  expect((await inject("GET", "/a2a/echo/extendedAgentCard", "owner")).json()).toMatchObject({ name: "echo" });
  expect((await inject("GET", "/a2a/echo/extendedAgentCard")).statusCode).toBe(401);
  expect((await inject("GET", "/a2a/other/.well-known/agent-card.json")).statusCode).toBe(404);
});

it("has no route of the protocol unless apps are offered", async () => {
  verifies("platform:a2a:off");
  await using world = await startGateway({ config: { DEFAULT_APP_NAME: "echo" } });
  for (const url of ["/.well-known/agent-card.json", "/a2a/echo/.well-known/agent-card.json", "/a2a/echo/tasks"])
    expect((await world.gateway.inject({ url })).statusCode).toBe(404);
});
