import type { StreamResponse } from "@a2a-js/sdk";
import { SendMessageRequest, TaskState } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { startFixtureServer } from "#test/a2a/fixture-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

/** The client that the SDK has for servers of 0.3. */
async function startClient(transport: "JSONRPC" | "HTTP+JSON") {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startFixtureServer());
  const options = { legacyCompat: { enabled: true } };
  const transports = [new JsonRpcTransportFactory(options), new RestTransportFactory(options)];
  const cardResolver = new DefaultAgentCardResolver(options);
  const factory = new ClientFactory({ transports, preferredTransports: [transport], cardResolver });
  const client = await factory.createFromUrl(`${server.url}/a2a/fixture/v0.3/`);
  const owned = stack.move();
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const ask = (messageId: string, more: object = {}) =>
  SendMessageRequest.fromJSON({ message: { messageId, role: "ROLE_USER", parts: [{ text: "Go." }], ...more } });

const kindOf = ({ payload }: StreamResponse) =>
  payload?.$case === "statusUpdate" ? TaskState[payload.value.status?.state ?? 0] : payload?.$case;

describe.each(["JSONRPC", "HTTP+JSON"] as const)("a client of 0.3 over %s", (transport) => {
  it("gets texts, files and data, and follows chunks", async () => {
    verifies("platform:a2a:versions");
    await using world = await startClient(transport);
    const { client } = world;
    for (const [id, part] of [
      ["tck-artifact-text-1", { content: { $case: "text", value: "Generated text content" } }],
      ["tck-artifact-file-1", { content: { value: Buffer.from("Generated file content") } }],
      ["tck-artifact-file-url-1", { content: { $case: "url", value: "https://example.com/output.txt" } }],
      ["tck-artifact-data-1", { content: { $case: "data", value: { key: "value", count: 42 } } }],
    ] as const) {
      const task = await client.sendMessage(ask(id));
      expect(task).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED }, artifacts: [{ parts: [part] }] });
      const found = await client.getTask({ tenant: "", id: "id" in task ? task.id : "", historyLength: undefined });
      expect(found).toMatchObject({ history: [{ messageId: id, parts: [{ content: { value: "Go." } }] }] });
    }
    const updates = await Array.fromAsync(client.sendMessageStream(ask("tck-stream-artifact-chunked")));
    expect(updates.map(kindOf)).toEqual([
      ...["task", "TASK_STATE_WORKING", "artifactUpdate", "artifactUpdate", "artifactUpdate", "TASK_STATE_COMPLETED"],
    ]);
  });

  it("answers a question, subscribes, cancels, and gets messages and refusals", async () => {
    verifies("platform:a2a:versions");
    await using world = await startClient(transport);
    const { client } = world;
    const asked = await Array.fromAsync(client.sendMessageStream(ask("tck-input-required-1")));
    const [first] = asked;
    const taskId = first?.payload?.$case === "task" ? first.payload.value.id : "";
    expect(asked.map(kindOf).at(-1)).toBe("TASK_STATE_INPUT_REQUIRED");
    const subscribed = client.resubscribeTask({ tenant: "", id: taskId })[Symbol.asyncIterator]();
    expect((await subscribed.next()).value).toMatchObject({ payload: { $case: "task", value: { id: taskId } } });
    expect(await client.sendMessage(ask("tck-complete-task-2", { taskId }))).toMatchObject({
      id: taskId,
      status: { state: TaskState.TASK_STATE_COMPLETED },
    });
    await subscribed.return?.();
    const waiting = await client.sendMessage(ask("tck-input-required-2"));
    const id = "id" in waiting ? waiting.id : "";
    const canceled = { status: { state: TaskState.TASK_STATE_CANCELED } };
    expect(await client.cancelTask({ tenant: "", id, metadata: {} })).toMatchObject(canceled);
    await expect(client.cancelTask({ tenant: "", id, metadata: {} })).rejects.toThrow("cannot be canceled");
    await expect(client.getTask({ tenant: "", id: "absent", historyLength: undefined })).rejects.toThrow("not found");
    expect(await client.sendMessage(ask("tck-message-response"))).toMatchObject({
      parts: [{ content: { value: "Direct message response" } }],
    });
  });
});

async function post(url: string, body: unknown): Promise<{ readonly status: number; readonly frames: JsonObject[] }> {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  const text = await response.text();
  const datas = text.startsWith("{")
    ? [text]
    : text.split("\n").flatMap((line) => /^data: (.*)$/.exec(line)?.[1] ?? []);
  return { status: response.status, frames: datas.map((data) => JSON.parse(data) as JsonObject) };
}

it("marks the update at which a task waits as the final one of its stream", async () => {
  verifies("platform:a2a:versions");
  await using server = await startFixtureServer();
  const url = `${server.url}/a2a/fixture`;
  const message = {
    kind: "message",
    messageId: "tck-input-required",
    role: "user",
    parts: [{ kind: "text", text: "Go." }],
  };
  const rpc = await post(url, { jsonrpc: "2.0", id: 1, method: "message/stream", params: { message } });
  expect(rpc.frames.at(-1)).toMatchObject({ result: { status: { state: "input-required" }, final: true } });
  expect(rpc.frames.slice(0, -1).filter(({ result }) => isJsonObject(result) && result["final"] === true)).toEqual([]);
  const rest = await post(`${url}/v1/message:stream`, {
    message: { messageId: "tck-input-required", role: "ROLE_USER", content: [{ text: "Go." }] },
  });
  expect(rest.frames.at(-1)).toMatchObject({
    statusUpdate: { status: { state: "TASK_STATE_INPUT_REQUIRED" }, final: true },
  });
});

it("reads the names of members as clients in Python write them, and answers without metadata of parts", async () => {
  verifies("platform:a2a:versions");
  await using server = await startFixtureServer();
  const url = `${server.url}/a2a/fixture/v1/message:send`;
  const file = { file_with_bytes: Buffer.from("text").toString("base64"), mime_type: "text/plain", name: "a.txt" };
  const asked = await post(url, {
    request: { message_id: "tck-input-required", role: "ROLE_USER", content: [{ file }, { data: { data: { a: 1 } } }] },
    configuration: { blocking: true, accepted_output_modes: ["text/plain"], history_length: 1 },
  });
  expect(asked).toMatchObject({
    status: 200,
    frames: [
      {
        task: {
          status: { state: "TASK_STATE_INPUT_REQUIRED", message: { role: "ROLE_AGENT" } },
          history: [
            { content: [{ file: { fileWithBytes: "dGV4dA==", name: "a.txt" } }, { data: { data: { a: 1 } } }] },
          ],
        },
      },
    ],
  });
  const { id: task_id, status } = asked.frames[0]?.["task"] as {
    readonly id: string;
    readonly status: {
      readonly message: { readonly content: readonly { readonly data: { readonly data: JsonObject } }[] };
    };
  };
  const { id = "", name = "" } = status.message.content[0]?.data.data ?? {};
  const data = { data: { data: { id, name, response: { answer: "Blue." } } } };
  const answered = await post(url, {
    request: { message_id: "tck-complete-task", task_id, role: "ROLE_USER", content: [data] },
    configuration: { blocking: true },
  });
  expect(answered).toMatchObject({ status: 200, frames: [{ task: { status: { state: "TASK_STATE_COMPLETED" } } }] });
});

it.each([
  undefined,
  [],
  {},
  { message: [] },
  { message: { messageId: "m", role: "ROLE_USER", content: "text" } },
  { message: { messageId: "m", role: "ROLE_USER", content: [] } },
  { message: { messageId: "m", role: "ROLE_USER", content: [null] } },
  { message: { messageId: "m", role: "ROLE_USER", content: [{ text: {} }] } },
  { message: { messageId: "m", role: "ROLE_USER", content: [{ file: {} }] } },
  { message: { messageId: "m", role: "ROLE_USER", content: [{ data: { data: [] } }] } },
  { message: { messageId: {}, role: "ROLE_USER", content: [{ text: "Go." }] } },
  { message: { messageId: "m", role: "user", content: [{ text: "Go." }], contextId: 7 } },
  {
    message: { messageId: "m", role: "ROLE_USER", content: [{ text: "Go." }] },
    configuration: { history_length: "x" },
  },
])("refuses a body of HTTP+JSON that is no message: %j", async (body) => {
  verifies("platform:a2a:versions");
  await using server = await startFixtureServer();
  const { status, frames } = await post(`${server.url}/a2a/fixture/v1/message:send`, body);
  expect([status, frames[0]]).toEqual([400, expect.objectContaining({ message: expect.any(String) })]);
});

it.each([
  [{ kind: "file" }],
  [{ kind: "file", file: "text" }],
  [{ kind: "text", text: {} }],
  [null],
  "text",
  undefined,
])("refuses parts of JSON-RPC that are none: %j", async (parts) => {
  verifies("platform:a2a:versions");
  await using server = await startFixtureServer();
  const params = { message: { kind: "message", messageId: "m", role: "user", parts } };
  const { frames } = await post(`${server.url}/a2a/fixture`, { jsonrpc: "2.0", id: 1, method: "message/send", params });
  expect(frames).toMatchObject([{ error: { code: -32602 } }]);
});
