import { expect, it, onTestFinished } from "vitest";
import type { Authenticator } from "#services/gateway/identity/authenticator.ts";
import { EVERYBODY } from "#services/gateway/identity/caller.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorldOptions, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const V1 = { "a2a-version": "1.0" };
const MESSAGE = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };

async function start(options: GatewayWorldOptions) {
  const world = await startGateway(options);
  onTestFinished(() => world[Symbol.asyncDispose]());
  return world;
}

/** What an app answers to. */
const REQUESTS = [
  ["GET", ".well-known/agent-card.json"],
  ["GET", "v0.3/.well-known/agent-card.json"],
  ["GET", "extendedAgentCard"],
  ["GET", "v1/card"],
  ["GET", "tasks"],
  ["GET", "tasks/t"],
  ["GET", "v1/tasks/t"],
  ["POST", "tasks/t:cancel"],
  ["POST", "tasks/t:subscribe"],
  ["POST", "message:send"],
  ["POST", "message:stream"],
  ["POST", "v1/message:send"],
  ["POST", "tasks/t/pushNotificationConfigs"],
  ["GET", "tasks/t/pushNotificationConfigs"],
  ["DELETE", "tasks/t/pushNotificationConfigs/h"],
  ["POST", ""],
] as const;

it.each(REQUESTS)("an app that is not offered answers like one that does not exist: %s %s", async (method, path) => {
  verifies("platform:a2a:card");
  const { gateway, runner } = await start({ config: { A2A_APPS: ["other"], DEFAULT_APP_NAME: "echo" } });
  const ask = async (app: string) => {
    const rpc = { jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message: MESSAGE }, message: MESSAGE };
    const url = `/a2a/${app}/${path}`;
    const { statusCode, body } = await gateway.inject({
      ...{ method, url, headers: V1 },
      ...(method === "POST" && { payload: rpc }),
    });
    return [statusCode, body.replaceAll(app, "APP").replace(/"requestId":"[^"]*"/, "")];
  };
  const answer = await ask("echo");
  expect(answer).toEqual([404, expect.stringContaining("APP")]);
  expect(answer).toEqual(await ask("absent"));
  expect(runner.started).toEqual([]);
});

it("has no card for all apps if the default app is not offered", async () => {
  const { gateway } = await start({ config: { A2A_APPS: ["other"], DEFAULT_APP_NAME: "echo" } });
  expect((await gateway.inject("/.well-known/agent-card.json")).statusCode).toBe(404);
});

it("a server that identifies nobody has no extended card, in any binding", async () => {
  verifies("platform:a2a:card");
  const { gateway } = await start({ config: { A2A_APPS: ["echo"] } });
  const card = (await gateway.inject("/a2a/echo/.well-known/agent-card.json")).json();
  expect(card).toMatchObject({ skills: [{ id: "echo" }] });
  expect(card.capabilities.extendedAgentCard).not.toBe(true);
  for (const [url, headers] of [
    ["/a2a/echo/extendedAgentCard", V1],
    ["/a2a/echo/v1/card", {}],
  ] as const) {
    const { statusCode, body } = await gateway.inject({ url, headers });
    expect([url, statusCode, body]).toEqual([url, 400, expect.stringContaining("no extended card")]);
  }
  for (const [method, headers] of [
    ["GetExtendedAgentCard", V1],
    ["agent/getAuthenticatedExtendedCard", {}],
  ] as const) {
    const payload = { jsonrpc: "2.0", id: 1, method };
    const answer = await gateway.inject({ method: "POST", url: "/a2a/echo", headers, payload });
    expect(answer.json()).toMatchObject({ error: { message: expect.stringContaining("no extended card") } });
  }
});

it("only the extended card has the tools and sub-agents of the app", async () => {
  verifies("platform:a2a:card");
  const byKey: Authenticator = {
    authenticate: ({ headers }) => (headers["x-key"] === undefined ? undefined : { ...EVERYBODY, source: "api-key" }),
  };
  const { gateway } = await start({ config: { A2A_APPS: ["echo"] }, deps: { authenticators: [byKey] } });
  const skillsOf = async (url: string, headers: Readonly<Record<string, string>>) =>
    ((await gateway.inject({ url, headers })).json() as { skills: { id: string }[] }).skills.map(({ id }) => id);
  for (const [path, headers] of [
    ["extendedAgentCard", V1],
    ["v1/card", {}],
  ] as const)
    expect(await skillsOf(`/a2a/echo/${path}`, { ...headers, "x-key": "k" })).toEqual([
      "echo",
      "echo_root.add",
      "echo_root.helper",
    ]);
  expect(await skillsOf("/a2a/echo/.well-known/agent-card.json", { "x-key": "k" })).toEqual(["echo"]);
});
