import type { Message, StreamResponse } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from "@a2a-js/sdk/client";
import { describe, expect, it } from "vitest";
import { startFixtureServer } from "#test/a2a/fixture-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

const TRANSPORTS = { JSONRPC: () => new JsonRpcTransportFactory(), "HTTP+JSON": () => new RestTransportFactory() };

function textMessage(messageId: string, text: string, given: Partial<Message> = {}): Message {
  const part = { content: { $case: "text" as const, value: text }, metadata: undefined, filename: "", mediaType: "" };
  const empty = { contextId: "", taskId: "", metadata: undefined, extensions: [], referenceTaskIds: [] };
  return { ...empty, messageId, role: Role.ROLE_USER, parts: [part], ...given };
}

function send(message: Message) {
  return { tenant: "", message, configuration: undefined, metadata: undefined };
}

/** A short form of an update. */
function brief({ payload }: StreamResponse): string {
  switch (payload?.$case) {
    case "task":
      return `task ${TaskState[payload.value.status?.state ?? 0]}`;
    case "statusUpdate":
      return TaskState[payload.value.status?.state ?? 0] ?? "";
    case "artifactUpdate": {
      const { artifact, append, lastChunk } = payload.value;
      const texts = artifact?.parts.map(({ content }) => (content?.$case === "text" ? content.value : content?.$case));
      return `${texts?.join("")}${append ? " +" : ""}${lastChunk ? " ." : ""}`;
    }
    default:
      return payload?.$case ?? "";
  }
}

async function startClient(transport: keyof typeof TRANSPORTS) {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startFixtureServer());
  const factory = new ClientFactory({ transports: [TRANSPORTS[transport]()], preferredTransports: [transport] });
  const client = await factory.createFromUrl(server.url);
  const owned = stack.move();
  return { client, server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe.each(["JSONRPC", "HTTP+JSON"] as const)("the client of npm over %s", (transport) => {
  it("gets a task with its artifact, once for a message that is sent again", async () => {
    verifies("platform:a2a:tasks", "platform:a2a:idempotent", "platform:a2a:clients");
    await using world = await startClient(transport);
    const first = await world.client.sendMessage(send(textMessage("tck-artifact-text-1", "Go.")));
    expect(first).toMatchObject({
      status: { state: TaskState.TASK_STATE_COMPLETED },
      artifacts: [
        { artifactId: "fixture.0", parts: [{ content: { $case: "text", value: "Generated text content" } }] },
      ],
      history: [{ messageId: "tck-artifact-text-1" }],
    });
    expect(await world.client.sendMessage(send(textMessage("tck-artifact-text-1", "Go.")))).toEqual(first);
    const other = await world.client.sendMessage(send(textMessage("tck-artifact-text-1", "Go again.")));
    expect(other).not.toMatchObject({ id: (first as { id?: string }).id });
  });

  it("streams chunks of an answer, which the complete answer replaces", async () => {
    verifies("platform:a2a:streams");
    await using world = await startClient(transport);
    const updates: string[] = [];
    for await (const update of world.client.sendMessageStream(send(textMessage("tck-stream-artifact-chunked", "Go."))))
      updates.push(brief(update));
    expect(updates).toEqual([
      "task TASK_STATE_SUBMITTED",
      "TASK_STATE_WORKING",
      "chunk-1 ",
      "chunk-2 +",
      "chunk-1 chunk-2 .",
      "TASK_STATE_COMPLETED",
    ]);
  });

  it("answers a task that waits for input, which stays the same task", async () => {
    verifies("platform:a2a:input");
    await using world = await startClient(transport);
    const asked = await world.client.sendMessage(send(textMessage("tck-input-required-1", "Go.")));
    if (!("status" in asked)) throw new Error("The answer is not a task.");
    expect(asked.status).toMatchObject({
      state: TaskState.TASK_STATE_INPUT_REQUIRED,
      message: { parts: [{ content: { value: { name: "ask_user" } }, metadata: { adk_is_long_running: true } }] },
    });
    const answer = textMessage("tck-complete-task-2", "Blue.", { taskId: asked.id });
    expect(await world.client.sendMessage(send(answer))).toMatchObject({
      id: asked.id,
      contextId: asked.contextId,
      status: { state: TaskState.TASK_STATE_COMPLETED },
      history: [{ messageId: "tck-input-required-1" }, { messageId: "tck-complete-task-2" }],
    });
    // The answer's own repetition finds its run; a later message has nothing to answer.
    expect(await world.client.sendMessage(send(answer))).toMatchObject({ id: asked.id });
    await expect(world.client.sendMessage(send({ ...answer, messageId: "later" }))).rejects.toThrow("does not wait");
  });

  it("cancels a waiting task, lists tasks and gets messages and refusals as the protocol names them", async () => {
    verifies("platform:a2a:cancel", "platform:a2a:list", "platform:a2a:answers");
    await using world = await startClient(transport);
    const { client } = world;
    const waiting = await client.sendMessage(send(textMessage("tck-input-required-1", "Go.")));
    const id = (waiting as { id: string }).id;
    expect(await client.cancelTask({ tenant: "", id, metadata: {} })).toMatchObject({
      status: { state: TaskState.TASK_STATE_CANCELED },
    });
    await expect(client.cancelTask({ tenant: "", id, metadata: {} })).rejects.toThrow("cannot be canceled");
    expect(await client.sendMessage(send(textMessage("tck-message-response", "Go.")))).toMatchObject({
      role: Role.ROLE_AGENT,
      parts: [{ content: { value: "Direct message response" } }],
    });
    expect(await client.sendMessage(send(textMessage("tck-reject-task", "Go.")))).toMatchObject({
      status: { state: TaskState.TASK_STATE_REJECTED },
    });
    const request = {
      tenant: "",
      contextId: "",
      status: 0,
      pageSize: 2,
      pageToken: "",
      statusTimestampAfter: undefined,
    };
    const page = await client.listTasks(request);
    expect([page.tasks.length, page.totalSize]).toEqual([2, 3]);
    const rest = await client.listTasks({ ...request, pageToken: page.nextPageToken });
    expect([rest.tasks.map((task) => task.id), rest.nextPageToken]).toEqual([[id], ""]);
  });
});

it("resumes a stream after the position of a server-sent event", async () => {
  verifies("platform:a2a:resume");
  await using server = await startFixtureServer();
  const headers = { "content-type": "application/json", "a2a-version": "1.0" };
  const base = `${server.url}/a2a/fixture`;
  const message = { role: "ROLE_USER", parts: [{ text: "Go." }], messageId: "tck-stream-artifact-chunked" };
  const whole = await fetch(`${base}/message:stream`, { method: "POST", headers, body: JSON.stringify({ message }) });
  const frames = (await whole.text()).split("\n\n").filter((frame) => frame.includes("data: "));
  const idOf = (frame = "") => /^id: (.*)$/m.exec(frame)?.[1] ?? "";
  const [task] = frames.map((frame) => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "{}"));
  for (const [index, frame] of frames.entries()) {
    if (idOf(frame) === "" || index === frames.length - 1) continue;
    const url = `${base}/tasks/${task.task.id}:subscribe`;
    const rest = await fetch(url, { headers: { ...headers, "last-event-id": idOf(frame) } });
    const [first, ...others] = (await rest.text()).split("\n\n").filter((each) => each.includes("data: "));
    expect(first).toContain('"state":"TASK_STATE_COMPLETED"');
    expect(first).not.toContain("artifacts");
    expect(others).toEqual(frames.slice(index + 1));
  }
});
