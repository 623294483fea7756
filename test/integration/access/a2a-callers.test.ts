import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { TabularPushStore } from "#ports/push/tabular-push-store.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { GatewayConfig } from "#services/gateway/config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { type CallerName, callerNamed, isNamed } from "./matrix-callers.ts";

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

async function startDoor(settings: Partial<GatewayConfig> = {}) {
  const world = await startGateway({
    config: { A2A_APPS: ["echo"], DEFAULT_APP_NAME: "echo", A2A_PUSH: "memory", ...settings },
    deps: {
      pushStore: new TabularPushStore({ table: new InMemoryRowTable() }),
      authenticators: [
        {
          authenticate: ({ headers: { "x-caller": name } }) => {
            if (name === "expired") throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
            return typeof name === "string" && isNamed(name) ? callerNamed(name) : undefined;
          },
        },
      ],
    },
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const inject = (caller: CallerName | undefined, method: Verb, url: string, payload?: object) =>
    world.gateway.inject({
      method,
      url,
      headers: { "a2a-version": "1.0", ...(caller === undefined ? {} : { "x-caller": caller }) },
      ...(payload === undefined ? {} : { payload }),
    });
  const rpc = (caller: CallerName, method: string, id: string) =>
    inject(caller, "POST", "/a2a/echo", {
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
    return inject(caller, method as Verb, `/a2a/echo/${path}`, body);
  };
  return { world, inject, rpc, http };
}

/** With a task of the owner, who is notified of it. */
async function startWorld() {
  const door = await startDoor();
  const sent = (await door.http("owner", "POST message:send", "")).json<{ readonly task: { readonly id: string } }>();
  expect((await door.http("owner", CREATE_PUSH, sent.task.id)).statusCode).toBe(200);
  return { ...door, taskId: sent.task.id };
}

it.each(METHODS)("%s needs credentials and its scope, in both bindings", async (method, place, scope, status) => {
  verifies("platform:a2a:access");
  const { rpc, http, taskId, world } = await startWorld();
  const without = `without ${scope}`;
  for (const ask of [
    (caller: CallerName) => rpc(caller, method, taskId),
    (caller: CallerName) => http(caller, place, taskId),
  ]) {
    for (const caller of ["anonymous", "expired"] as const)
      expect([caller, (await ask(caller)).statusCode]).toEqual([caller, 401]);
    for (const caller of ["operator", isNamed(without) ? without : "operator"] as const)
      expect([caller, (await ask(caller)).statusCode]).toEqual([caller, 403]);
    expect((await ask("outsider")).statusCode).toBe(404);
  }
  expect((await http("owner", place, taskId)).statusCode).toBe(status);
  expect(world.runner.cancelled).toEqual([]);
});

it.each(METHODS.filter(([, place]) => place.includes("{id}")))(
  "%s answers for the task of others like for none",
  async (method, place) => {
    verifies("platform:a2a:access");
    const { rpc, http, taskId, world } = await startWorld();
    for (const caller of ["eve", "twin", "foreignAdmin"] as const) {
      expect((await rpc(caller, method, taskId)).body).toBe((await rpc(caller, method, "absent")).body);
      const foreign = await http(caller, place, taskId);
      expect([foreign.statusCode, foreign.body]).toEqual([404, (await http(caller, place, "absent")).body]);
    }
    expect(world.runner.cancelled).toEqual([]);
  },
);

it("answers for an app that rules close to the caller like for one that does not exist", async () => {
  verifies("platform:a2a:access", "authentication:apps");
  const rules = agentsFolder({ "rules.yaml": JSON.stringify({ apps: { echo: { users: ["treasurer"] } } }) });
  const { inject } = await startDoor({ A2A_APPS: ["*"], APP_RULES_FILE: join(rules.path, "rules.yaml") });
  const ask = async (app: string, [method, place]: readonly [string, string]) => {
    const [verb = "", path = ""] = place.replace("{id}", "absent").split(" ");
    const rpc = { jsonrpc: "2.0", id: 1, method, params: { id: "absent", taskId: "absent", message: MESSAGE } };
    const body = path.startsWith("message") ? { message: MESSAGE } : undefined;
    const answers = [
      await inject("owner", "POST", `/a2a/${app}`, rpc),
      // The table has these two methods only.
      await inject("owner", verb as "GET" | "POST", `/a2a/${app}/${path}`, body),
    ];
    return answers.map(({ statusCode, body: text }) => [statusCode, text.replaceAll(app, "APP")]);
  };
  for (const [method, place] of METHODS) {
    const closed = await ask("echo", [method, place]);
    expect(closed.map(([status]) => status)).toEqual([404, 404]);
    expect([method, closed]).toEqual([method, await ask("none", [method, place])]);
  }
  const extended = await inject("owner", "GET", "/a2a/echo/extendedAgentCard");
  expect(extended.statusCode).toBe(404);
});

it("lists to each caller its own tasks", async () => {
  verifies("platform:a2a:access");
  const { http } = await startWorld();
  const count = async (caller: CallerName) =>
    (await http(caller, "GET tasks", "")).json<{ tasks: unknown[] }>().tasks.length;
  expect([await count("owner"), await count("eve"), await count("twin"), await count("admin")]).toEqual([1, 0, 0, 1]);
});

it("gives the same context of two users a session for each", async () => {
  verifies("platform:a2a:access");
  const { http, world } = await startWorld();
  for (const caller of ["eve", "twin"] as const)
    expect((await http(caller, "POST message:send", "")).body).toContain('"TASK_STATE_COMPLETED"');
  expect(
    world.runner.started.map(({ session }) => [session.tenantId ?? "default", session.userId, session.id]),
  ).toEqual([
    ["default", "me", "context"],
    ["default", "eve", "context"],
    ["acme", "me", "context"],
  ]);
});

it("publishes the card of an offered app, in either version, and the extended one to callers", async () => {
  verifies("platform:a2a:card");
  const { inject } = await startWorld();
  const card = await inject(undefined, "GET", "/.well-known/agent-card.json");
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
  const again = await inject(undefined, "GET", "/a2a/echo/.well-known/agent-card.json");
  expect([again.headers["etag"], again.headers["cache-control"]]).toEqual([etag, "public, max-age=300"]);
  const older = await inject(undefined, "GET", "/a2a/echo/.well-known/agent-card.json?A2A-Version=0.3");
  expect(older.statusCode).toBe(200);
  expect((await inject("owner", "GET", "/a2a/echo/extendedAgentCard")).json()).toMatchObject({ name: "echo" });
  expect((await inject(undefined, "GET", "/a2a/echo/extendedAgentCard")).statusCode).toBe(401);
  expect((await inject(undefined, "GET", "/a2a/other/.well-known/agent-card.json")).statusCode).toBe(404);
});

it("has no route of the protocol unless apps are offered", async () => {
  verifies("platform:a2a:off");
  await using world = await startGateway({ config: { DEFAULT_APP_NAME: "echo" } });
  for (const url of ["/.well-known/agent-card.json", "/a2a/echo/.well-known/agent-card.json", "/a2a/echo/tasks"])
    expect((await world.gateway.inject({ url })).statusCode).toBe(404);
});
