import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const V1 = { "a2a-version": "1.0" };
const MESSAGE = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hello" }] };

async function startEcho(config: { readonly A2A_CARDS_FILE?: string } = {}) {
  const world = await startGateway({ config: { A2A_APPS: ["echo"], ...config } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const get = async (path: string, headers: Readonly<Record<string, string>> = V1): Promise<JsonObject> =>
    (await world.gateway.inject({ url: `/a2a/echo/${path}`, headers })).json();
  const post = async (path: string, payload: object, headers: Readonly<Record<string, string>> = V1) =>
    (await world.gateway.inject({ method: "POST", url: `/a2a/echo${path}`, headers, payload })).json();
  const rpc = async (method: string, params: object, headers?: Readonly<Record<string, string>>): Promise<JsonObject> =>
    (await post("", { jsonrpc: "2.0", id: 1, method, params }, headers))["result"];
  /** The first task of a list. */
  const list = async (asked: string): Promise<JsonObject> => {
    const { tasks } = await get(`tasks${asked}`);
    const [task = null] = Array.isArray(tasks) ? tasks : [];
    return isJsonObject(task) ? task : {};
  };
  return { get, post, rpc, list };
}

type Echo = Awaited<ReturnType<typeof startEcho>>;
type Read = (echo: Echo, id: string, historyLength: number | undefined) => Promise<JsonObject>;

const query = (length: number | undefined) => (length === undefined ? "" : `?historyLength=${length}`);

it.each<readonly [string, Read, unasked: number]>([
  ["HTTP+JSON of 1.0", ({ get }, id, length) => get(`tasks/${id}${query(length)}`), 1],
  ["HTTP+JSON of 0.3", ({ get }, id, length) => get(`v1/tasks/${id}${query(length)}`, {}), 1],
  ["JSON-RPC of 1.0", ({ rpc }, id, historyLength) => rpc("GetTask", { id, historyLength }), 1],
  ["JSON-RPC of 0.3", ({ rpc }, id, historyLength) => rpc("tasks/get", { id, historyLength }, {}), 1],
  ["a list in HTTP+JSON", ({ list }, _id, length) => list(query(length)), 0],
])("a client reads as much of a task's history as it asks for: %s", async (_, read, unasked) => {
  verifies("platform:a2a:versions");
  const echo = await startEcho();
  const { task } = await echo.post("/message:send", { message: MESSAGE });
  const lengths: unknown[] = [];
  for (const length of [undefined, 0, 1]) {
    const { history = [] } = await read(echo, task.id, length);
    lengths.push(Array.isArray(history) ? history.length : history);
  }
  expect(lengths).toEqual([unasked, 0, 1]);
});

it("lists artifacts only to a client that asks for them", async () => {
  const { post, list } = await startEcho();
  await post("/message:send", { message: MESSAGE });
  for (const [asked, length] of [
    ["", 0],
    ["?includeArtifacts=false", 0],
    ["?includeArtifacts=true", 1],
  ] as const) {
    const { artifacts = [] } = await list(asked);
    expect([asked, artifacts]).toEqual([asked, expect.objectContaining({ length })]);
  }
});

it("takes the files that the card of the app names, and shows what the operator's file says of it", async () => {
  verifies("platform:a2a:card");
  const own = { name: "Echo of ours", provider: { organization: "We", url: "https://we.test/" }, version: "7" };
  const cards = { apps: { echo: { ...own, defaultInputModes: ["text/plain", "image/*"] } } };
  const { path } = agentsFolder({ "cards.yaml": JSON.stringify(cards) });
  const { get, post } = await startEcho({ A2A_CARDS_FILE: join(path, "cards.yaml") });
  expect(await get(".well-known/agent-card.json")).toMatchObject({
    ...own,
    ...cards.apps.echo,
    skills: [{ id: "echo" }],
  });
  const send = (mediaType: string) =>
    post("/message:send", { message: { ...MESSAGE, messageId: mediaType, parts: [{ raw: "AAAA", mediaType }] } });
  expect(await send("image/png")).toMatchObject({ task: { status: { state: "TASK_STATE_COMPLETED" } } });
  expect(await send("audio/wav")).toMatchObject({
    error: { message: expect.stringContaining("Supported: text/plain, image/*.") },
  });
});

it("names the headers that change the card to caches, in either version", async () => {
  const world = await startGateway({ config: { A2A_APPS: ["echo"], DEFAULT_APP_NAME: "echo" } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  for (const url of ["/.well-known/agent-card.json", "/a2a/echo/.well-known/agent-card.json"]) {
    const versions = await Promise.all(
      ["1.0", "0.3"].map((version) => world.gateway.inject({ url, headers: { "a2a-version": version } })),
    );
    for (const { headers } of versions) expect(String(headers["vary"])).toMatch(/a2a-version.*host/);
    expect(versions.map((answer) => answer.json().protocolVersion)).toEqual([
      undefined,
      expect.stringMatching(/^0\.3/),
    ]);
  }
});
