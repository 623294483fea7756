import { SendMessageRequest, Task, TaskArtifactUpdateEvent, TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent } from "@a2a-js/sdk/server";
import { afterEach, describe, expect, it } from "vitest";
import { createPeerClient, readCard } from "#kit/a2a/remote/peer-client.ts";
import { RemoteA2AAgent, type RemoteA2AAgentOptions } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { RemoteTask } from "#kit/a2a/remote/remote-task.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import { createApp } from "#kit/core/app.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { type A2APeer, startA2aPeer } from "#test/helpers/a2a/a2a-peer.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AgentExecutor, type AgentExecutorConfig } from "./agent-executor.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

function runnerOf(options: Partial<RemoteA2AAgentOptions>): Runner {
  const outbound = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
  opened.push(outbound);
  const agent = new RemoteA2AAgent({ name: "primes", ...options });
  return new Runner({ agent, appName: "app", outbound, runConfig: { autoCreateSession: true } });
}

async function say(runner: Runner, text: string, streaming = false): Promise<readonly Event[]> {
  const newMessage = { role: "user", parts: [{ text }] };
  return collect(runner, newMessage, streaming);
}

async function collect(runner: Runner, newMessage: object, streaming = false): Promise<readonly Event[]> {
  const runConfig = streaming ? { streamingMode: "SSE" as const } : {};
  const events = [];
  for await (const event of runner.runAsync({ userId: "u", sessionId: "s", newMessage, runConfig })) events.push(event);
  return events;
}

async function peerOf(
  agent: LlmAgent,
  config: AgentExecutorConfig = {},
  options: Parameters<typeof startA2aPeer>[1] = {},
): Promise<A2APeer> {
  const executor = new AgentExecutor({ agent, agentExecutorConfig: config });
  const peer = await startA2aPeer(executor, options);
  opened.push(peer);
  return peer;
}

const textsOf = (events: readonly Event[]) =>
  events.flatMap(({ content, partial }) => (content?.parts ?? []).map(({ text }) => (partial ? `~${text}` : text)));

describe.each(["1.0", "0.3"] as const)("a remote agent and an executor over %s", (version) => {
  it.each([true, false])("gets an answer, with streams: %s", async (streaming) => {
    verifies("agents:remote-a2a:talks");
    verifies("agents:remote-a2a:agent-card");
    verifies("what-the-service-does:kit-remote-agent");
    verifies("agents:executor:agent");
    verifies("agents:executor:execute");
    verifies("agents:executor:config");
    const agent = new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime"]) });
    const peer = await peerOf(agent, {}, { version, streaming });
    const events = await say(runnerOf({ agentCard: peer.origin }), "is 7 prime?");
    expect(textsOf(events)).toEqual(["7 is prime"]);
    const metadata = events.map(({ customMetadata }) => Object(customMetadata));
    expect(metadata.at(-1)).toMatchObject({ "a2a:task_id": expect.any(String), "a2a:context_id": expect.any(String) });
  });

  it("continues the conversation with what is new", async () => {
    const model = new ScriptedModel(["first", "second"]);
    const peer = await peerOf(new LlmAgent({ name: "checker", model }), {}, { version });
    const runner = runnerOf({ agentCard: peer.origin });
    await say(runner, "one");
    expect(peer.requests.at(-1)?.headers["traceparent"]).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(textsOf(await say(runner, "two"))).toEqual(["second"]);
    expect(model.requests.at(-1)?.contents.map(({ parts }) => parts?.[0]?.text)).toEqual(["one", "first", "two"]);
  });

  it("waits for the user where the remote's tool waits, and passes the answer on", async () => {
    const approve = new LongRunningFunctionTool({ name: "approve", description: "Asks.", execute: () => null });
    const call = { functionCall: { name: "approve", args: { amount: 5 } } };
    const model = new ScriptedModel([{ content: { role: "model", parts: [call] } }, "approved"]);
    const peer = await peerOf(new LlmAgent({ name: "desk", model, tools: [approve] }), {}, { version });
    const runner = runnerOf({ agentCard: peer.origin });
    const asked = (await say(runner, "pay")).at(-1);
    const { id } = asked?.content?.parts?.find(({ functionCall }) => functionCall)?.functionCall ?? {};
    expect(asked).toMatchObject({ longRunningToolIds: [id], turnComplete: true });
    const functionResponse = { id, name: "approve", response: { ok: true } };
    const events = await collect(runner, { role: "user", parts: [{ functionResponse }] });
    expect(textsOf(events)).toEqual(["approved"]);
  });

  it("asks the user to confirm what the remote's tool may do", async () => {
    const pay = new FunctionTool({
      name: "pay",
      description: "Pays.",
      requireConfirmation: true,
      execute: () => ({ paid: true }),
    });
    const model = new ScriptedModel([
      { content: { role: "model", parts: [{ functionCall: { name: "pay", args: {} } }] } },
      "paid",
    ]);
    const peer = await peerOf(new LlmAgent({ name: "desk", model, tools: [pay] }), {}, { version });
    const runner = runnerOf({ agentCard: peer.origin });
    const asked = (await say(runner, "pay")).at(-1)?.content?.parts?.find(({ functionCall }) => functionCall);
    const { id, name } = asked?.functionCall ?? {};
    expect(name).toBe("adk_request_confirmation");
    const functionResponse = { id, name, response: { confirmed: true } };
    expect(textsOf(await collect(runner, { role: "user", parts: [{ functionResponse }] })).at(-1)).toBe("paid");
  });

  it("tells its reader no text of the remote's failure but its id", async () => {
    const model = new ScriptedModel([
      () => {
        throw new Error("secret path");
      },
    ]);
    const peer = await peerOf(new LlmAgent({ name: "desk", model }), {}, { version });
    const last = (await say(runnerOf({ agentCard: peer.origin }), "go").catch((error) => [error])).at(-1);
    expect(JSON.stringify(last)).not.toContain("secret path");
    expect(last).toMatchObject({ errorCode: expect.any(String) });
  });
});

it("follows a task that another run has begun", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const model = new ScriptedModel([
    async () => {
      await released;
      return "7 is prime";
    },
  ]);
  const peer = await peerOf(new LlmAgent({ name: "checker", model }));
  const client = await createPeerClient(await readCard(peer.origin, fetch), fetch);
  const { signal } = new AbortController();
  const options = { client, request: {}, signal, progress: [] };
  const parts = [
    { content: { $case: "text" as const, value: "is 7 prime?" }, metadata: undefined, filename: "", mediaType: "" },
  ];
  const ids = { messageId: "m", contextId: "", taskId: "", role: 1, extensions: [], referenceTaskIds: [] };
  let begun = { taskId: "", contextId: "" };
  for await (const output of new RemoteTask(options).send({ ...ids, parts, metadata: undefined })) {
    if (output.kind === "task") begun = output;
    break;
  }
  const following = Array.fromAsync(new RemoteTask(options).follow(begun.taskId, begun.contextId));
  await expect.poll(() => peer.requests.map(({ method }) => method)).toContain("SubscribeToTask");
  release();
  const followed = await following;
  expect(followed).toMatchObject([
    { kind: "event", members: { content: { parts: [{ text: "7 is prime" }] } }, progress: { parts: 1 } },
    { kind: "end", state: 3 },
  ]);
  expect(peer.requests.filter(({ method }) => method === "SendStreamingMessage")).toHaveLength(1);
});

it("answers a waiting task that has shown calls of its own, which nobody here answers", async () => {
  const call = (name: string, metadata: object) => ({ data: { id: name, name, args: {} }, metadata });
  const waits = { adk_type: "function_call", adk_is_long_running: true };
  const received: unknown[] = [];
  const peer = await startA2aPeer({
    execute: async ({ taskId, contextId, userMessage, task }, queue) => {
      received.push({ task: task === undefined ? "new" : "old", content: userMessage.parts[0]?.content?.$case });
      const place = { taskId, contextId };
      const isFirst = received.length === 1;
      const state = isFirst ? "TASK_STATE_INPUT_REQUIRED" : "TASK_STATE_COMPLETED";
      const parts = [call("adk_request_confirmation", waits)];
      const message = isFirst ? { messageId: "q", role: "ROLE_AGENT", parts } : undefined;
      const submitted = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
      queue.publish(AgentEvent.task(task ?? Task.fromJSON(submitted)));
      if (isFirst) {
        const artifact = { artifactId: "a", parts: [call("book", { adk_type: "function_call" })] };
        const update = { ...place, artifact, lastChunk: true };
        queue.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)));
      }
      queue.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...place, status: { state, message } })));
      queue.finished();
    },
    cancelTask: async () => {},
  });
  opened.push(peer);
  const runner = runnerOf({ agentCard: peer.origin });
  const asked = await say(runner, "book");
  // The remote may still answer its own call.
  expect(JSON.stringify(asked)).not.toContain("whether it took effect is unknown");
  const functionResponse = {
    id: "adk_request_confirmation",
    name: "adk_request_confirmation",
    response: { confirmed: true },
  };
  await collect(runner, { role: "user", parts: [{ functionResponse }] });
  expect(received).toEqual([
    { task: "new", content: "text" },
    { task: "old", content: "data" },
  ]);
});

it("reads whole answers from an agent that has only HTTP+JSON of 0.3", async () => {
  const capabilities = { streaming: true };
  const supportedInterfaces = [{ url: "http://peer.test/x", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }];
  const given = { ...{ name: "peer", description: "", version: "1", capabilities }, supportedInterfaces };
  const called: string[] = [];
  const client = await createPeerClient(await readCard(given, fetch), async (url) => {
    called.push(new URL(String(url)).pathname);
    const parts = [{ text: "one " }, { text: "two" }];
    const status = { state: "TASK_STATE_COMPLETED" };
    return Response.json({ task: { id: "t", contextId: "c", status, artifacts: [{ artifactId: "a", parts }] } });
  });
  const outputs = await Array.fromAsync(client.sendMessageStream(MESSAGE));
  expect(called).toEqual(["/x/v1/message:send"]);
  expect(outputs).toMatchObject([{ payload: { $case: "task", value: { artifacts: [{ parts: [{}, {}] }] } } }]);
});

it("cancels the remote's task with the run", async () => {
  verifies("agents:executor:cancel");
  const { promise: never } = Promise.withResolvers<string>();
  const peer = await peerOf(new LlmAgent({ name: "checker", model: new ScriptedModel([() => never]) }));
  const runner = runnerOf({ agentCard: peer.origin });
  const abort = new AbortController();
  const request = { userId: "u", sessionId: "s", newMessage: { role: "user", parts: [{ text: "go" }] } };
  const reading = (async () => {
    for await (const _ of runner.runAsync({ ...request, signal: abort.signal })) abort.abort();
  })();
  await reading.catch(() => undefined);
  await expect.poll(() => peer.requests.map(({ method }) => method)).toContain("CancelTask");
});

it("is an agent of another server, with a description and callbacks around it", async () => {
  verifies("enumerations:agent-origin:a2a");
  verifies("agents:remote-a2a:description");
  verifies("agents:remote-a2a:before-agent-callback");
  verifies("agents:remote-a2a:after-agent-callback");
  verifies("agents:remote-a2a:a2a-client");
  const peer = await peerOf(new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime"]) }));
  const a2aClient = await createPeerClient(await readCard(peer.origin, fetch), fetch);
  const calls: string[] = [];
  const agent = new RemoteA2AAgent({
    ...{ name: "primes", description: "Checks primes.", a2aClient },
    beforeAgentCallback: () => void calls.push("before"),
    afterAgentCallback: () => void calls.push("after"),
  });
  const { description, toolOrigin, kind } = agent;
  expect({ description, toolOrigin, kind }).toEqual({
    description: "Checks primes.",
    toolOrigin: "A2A",
    kind: "remote",
  });
  const runner = new Runner({ agent, appName: "app", runConfig: { autoCreateSession: true } });
  expect(textsOf(await say(runner, "is 7 prime?"))).toEqual(["7 is prime"]);
  expect(calls).toEqual(["before", "after"]);
});

it.each([
  ["ARTIFACT_PER_RUN", [["a", "b"]]],
  ["ARTIFACT_PER_EVENT", [["a"], ["b"]]],
] as const)("writes artifacts by its output mode: %s", async (outputMode, expected) => {
  verifies("enumerations:output-mode:artifact-per-event");
  verifies("enumerations:output-mode:artifact-per-run");
  verifies("agents:executor:output-mode");
  verifies("agents:executor:app");
  verifies("agents:executor:app-name");
  verifies("agents:executor:artifact-service");
  const agents = ["a", "b"].map((name) => new LlmAgent({ name, model: new ScriptedModel([name]) }));
  const agent = new SequentialAgent({ name: "both", subAgents: agents });
  const artifactService = new InMemoryArtifactService();
  const byApp = new AgentExecutor({
    app: createApp({ name: "by_app", rootAgent: agent }),
    artifactService,
    agentExecutorConfig: { outputMode },
  });
  expect(byApp.runner.appName).toBe("by_app");
  expect(new AgentExecutor({ agent: agents[0], appName: "by_name" }).runner.appName).toBe("by_name");
  const peer = await startA2aPeer(byApp);
  opened.push(peer);
  const client = await createPeerClient(await readCard(peer.origin, fetch), fetch);
  const artifacts = new Map<string, string[]>();
  for await (const { payload } of client.sendMessageStream(MESSAGE)) {
    if (payload?.$case !== "artifactUpdate" || payload.value.artifact === undefined) continue;
    const { artifactId, parts } = payload.value.artifact;
    const texts = parts.map(({ content }) => String(content?.value));
    artifacts.set(artifactId, [...(payload.value.append ? (artifacts.get(artifactId) ?? []) : []), ...texts]);
  }
  expect([...artifacts.values()]).toEqual(expected);
});

it("calls its callbacks, which change, suppress and skip", async () => {
  verifies("agents:executor:lifecycle-callbacks");
  verifies("callbacks:executor-before-execute");
  verifies("callbacks:executor-after-event");
  verifies("callbacks:executor-after-execute");
  const statesOf = async (config: AgentExecutorConfig) => {
    const peer = await peerOf(new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime"]) }), config);
    const client = await createPeerClient(await readCard(peer.origin, fetch), fetch);
    const seen = [];
    for await (const { payload } of client.sendMessageStream(MESSAGE))
      seen.push(payload?.$case === "statusUpdate" ? payload.value.status?.state : payload?.$case);
    return seen;
  };
  expect(await statesOf({ beforeExecuteCallback: () => true })).toEqual(["task", TaskState.TASK_STATE_CANCELED]);
  const suppressed = await statesOf({
    afterEventCallback: (_, update, event) => (event.author === update.artifact?.name ? undefined : update),
    afterExecuteCallback: (_, update) => ({
      ...update,
      status: { state: TaskState.TASK_STATE_REJECTED, message: undefined, timestamp: undefined },
    }),
  });
  expect(suppressed).toEqual(["task", TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_REJECTED]);
});

const MESSAGE = SendMessageRequest.fromJSON({
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "go" }] },
});

describe("a message that was perhaps sent by a lost runner", () => {
  const toSend = (messageId: string, place = { taskId: "", contextId: "" }) => ({
    ...{ messageId, ...place, role: 1 as const, extensions: [], referenceTaskIds: [], metadata: undefined },
    parts: [{ content: { $case: "text" as const, value: "go" }, metadata: undefined, filename: "", mediaType: "" }],
  });
  const methodsOf = (peer: A2APeer) => peer.requests.map(({ method }) => method).filter((method) => method !== "card");

  async function optionsFor(peer: A2APeer) {
    const client = await createPeerClient(await readCard(peer.origin, fetch), fetch);
    return { client, request: {}, signal: new AbortController().signal, progress: [] };
  }

  it("is found with its task, and is sent if there is none", async () => {
    const peer = await peerOf(new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime", "8 is not"]) }));
    const options = await optionsFor(peer);
    const first = await Array.fromAsync(new RemoteTask(options).send(toSend("m-1"), true));
    const again = await Array.fromAsync(new RemoteTask(options).send(toSend("m-1"), true));
    expect(first.at(-1)).toMatchObject({ kind: "end", state: TaskState.TASK_STATE_COMPLETED });
    expect(again).toMatchObject([
      { kind: "task", taskId: first[0]?.kind === "task" ? first[0].taskId : "" },
      { kind: "event", members: { content: { parts: [{ text: "7 is prime" }] } } },
      { kind: "end", state: TaskState.TASK_STATE_COMPLETED },
    ]);
    expect(methodsOf(peer)).toEqual(["ListTasks", "SendStreamingMessage", "ListTasks", "GetTask"]);
  });

  it("is found in the task that waited for it", async () => {
    const approve = new LongRunningFunctionTool({ name: "approve", description: "Asks.", execute: () => null });
    const call = { functionCall: { id: "c-1", name: "approve", args: {} } };
    const model = new ScriptedModel([{ content: { role: "model", parts: [call] } }, "approved"]);
    const peer = await peerOf(new LlmAgent({ name: "desk", model, tools: [approve] }));
    const options = await optionsFor(peer);
    const [begun] = await Array.fromAsync(new RemoteTask(options).send(toSend("m-1")));
    const { taskId, contextId } = begun?.kind === "task" ? begun : expect.unreachable();
    const data = { id: "c-1", name: "approve", response: { ok: true } };
    const part = { content: { $case: "data" as const, value: data }, metadata: { adk_type: "function_response" } };
    const reply = { ...toSend("m-2", { taskId, contextId }), parts: [{ ...part, filename: "", mediaType: "" }] };
    const first = await Array.fromAsync(new RemoteTask(options).send(reply, true));
    const again = await Array.fromAsync(new RemoteTask(options).send(reply, true));
    for (const outputs of [first, again])
      expect(outputs.at(-1)).toMatchObject({ kind: "end", state: TaskState.TASK_STATE_COMPLETED });
    expect(methodsOf(peer).filter((method) => method === "SendStreamingMessage")).toHaveLength(2);
  });

  it("is sent with its id to an agent that lists no tasks", async () => {
    const agent = new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime"]) });
    const peer = await peerOf(agent, {}, { version: "0.3" });
    const outputs = await Array.fromAsync(new RemoteTask(await optionsFor(peer)).send(toSend("m-1"), true));
    expect(outputs.at(-1)).toMatchObject({ kind: "end", state: TaskState.TASK_STATE_COMPLETED });
    expect(methodsOf(peer)).toEqual(["message/stream"]);
  });
});
