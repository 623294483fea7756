import { expect, it, vi } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { BaseAgent } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import type { Part } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { CREDENTIAL_CALL } from "#kit/events/reserved-calls.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder, RecordingLogger } from "#test/helpers/worlds/agents-folder.ts";

/** Does what the user's text names. */
class Clerk extends BaseAgent {
  /** Closed after the first answer to "halt" until the test opens it. */
  readonly gate = Promise.withResolvers<void>();

  protected async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    const text = context.userContent?.parts?.[0]?.text;
    const say = (part: Part, rest: Partial<Event> = {}) =>
      context.createEvent({ content: { role: "model", parts: [part] }, ...rest });
    if (text === "ask")
      return yield say({ functionCall: { id: "c1", name: "ask_user", args: {} } }, { longRunningToolIds: ["c1"] });
    if (text === "sign in")
      return yield say({ functionCall: { id: "c1", name: CREDENTIAL_CALL, args: {} } }, { longRunningToolIds: ["c1"] });
    if (text === "job") {
      yield say({ functionCall: { id: "c1", name: "start_job", args: {} } }, { longRunningToolIds: ["c1"] });
      yield say({ functionResponse: { id: "c1", name: "start_job", response: { status: "pending" } } });
      return yield say({ text: "It has begun." });
    }
    if (text === "forbidden") {
      yield say({ text: "Well," });
      return yield context.createEvent({ errorCode: "SAFETY", errorMessage: "The answer was blocked." });
    }
    for (const answer of ["one", "two"]) {
      for (const chunk of answer) yield say({ text: chunk }, { partial: true });
      yield say({ text: answer });
      if (text === "halt") await this.gate.promise;
    }
  }
}

interface Update {
  readonly artifact: { readonly artifactId: string; readonly parts: readonly Part[] };
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

async function startServer() {
  await using stack = new AsyncDisposableStack();
  const config = loadConfig(standaloneConfigSchema, {
    ...{ HOST: "127.0.0.1", PORT: "0", DATA_DIR: agentsFolder({}).path, SESSION_STORE: "memory", DEV_UI: "false" },
    A2A_APPS: "*",
  });
  const [desk, shop] = [new Clerk({ name: "desk" }), new Clerk({ name: "shop" })];
  const apps = [desk, shop].map((rootAgent) => createApp({ name: rootAgent.name, rootAgent }));
  const agentLoader = new StaticAgentLoader(apps);
  const server = stack.use(await createStandalone({ config, agentLoader, logger: new RecordingLogger() }));
  const call = async (app: string, path: string, body?: JsonObject) => {
    const answer = await fetch(`${server.url}/a2a/${app}/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const message = (text: string, given: JsonObject = {}): JsonObject => ({
    message: { messageId: `m-${text.replaceAll(" ", "-")}`, role: "ROLE_USER", parts: [{ text }], ...given },
  });
  const send = async (app: string, given: JsonObject): Promise<JsonObject> => {
    const { task } = JSON.parse((await call(app, "message:send", given)).text) as JsonObject;
    if (!isJsonObject(task)) throw new Error("There is no task in the answer.");
    return task;
  };
  const owned = stack.move();
  return { server, desk, call, send, message, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function updatesOf(text: string) {
  // The forms of the protocol's updates.
  return [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, json = ""]) => {
    const { artifactUpdate } = JSON.parse(json) as { readonly artifactUpdate?: Update };
    if (artifactUpdate === undefined) return [];
    const { artifact, append = false, lastChunk = false } = artifactUpdate;
    return [{ artifactId: artifact.artifactId, text: artifact.parts[0]?.text, append, lastChunk }];
  });
}

/** The updates of one answer. */
function chunksOf(artifactId: string | undefined, word: string) {
  const chunks = [...word].map((chunk, index) => ({ artifactId, text: chunk, append: index > 0, lastChunk: false }));
  return [...chunks, { artifactId, text: word, append: false, lastChunk: true }];
}

it("a task is found at its own app only", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const { id } = await world.send("desk", world.message("go"));
  expect((await world.call("desk", `tasks/${id}`)).status).toBe(200);
  for (const path of [`tasks/${id}`, `tasks/${id}:subscribe`])
    expect(await world.call("shop", path)).toEqual(await world.call("shop", path.replace(String(id), "absent")));
  expect(await world.call("shop", `tasks/${id}:cancel`, {})).toEqual(
    await world.call("shop", "tasks/absent:cancel", {}),
  );
  expect(JSON.parse((await world.call("shop", "tasks")).text)).toMatchObject({ tasks: [] });
});

it("an answer continues its task, and is no task of its own", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const asked = await world.send("desk", world.message("ask"));
  expect(asked).toMatchObject({ status: { state: "TASK_STATE_INPUT_REQUIRED" } });
  const { id: taskId, contextId } = asked;
  const answered = await world.send("desk", world.message("blue", { taskId: String(taskId) }));
  expect(answered).toMatchObject({ id: taskId, contextId, status: { state: "TASK_STATE_COMPLETED" } });
  const { runs } = (await (await fetch(`${world.server.url}/v1/runs?appName=desk`)).json()) as {
    readonly runs: readonly { readonly runId: string }[];
  };
  const continuation = runs.find(({ runId }) => runId !== taskId);
  expect(runs).toHaveLength(2);
  expect(await world.call("desk", `tasks/${continuation?.runId}`)).toEqual(await world.call("desk", "tasks/absent"));
  expect(JSON.parse((await world.call("desk", "tasks")).text)).toMatchObject({ tasks: [{ id: taskId }], totalSize: 1 });
});

it("a task is cancelled although the refusal before was itself cancelled while it waited", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const http = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${world.server.url}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return (await answer.json()) as JsonObject;
  };
  const { id: taskId } = await world.send("desk", world.message("ask"));
  const task = await http("GET", `/v1/runs/${taskId}`);
  const owner = { userId: String(task["userId"]), sessionId: String(task["sessionId"]) };
  const newMessage = { role: "user", parts: [{ text: "halt" }] };
  const { runId: halting } = await http("POST", "/v1/runs", { ...owner, appName: "desk", newMessage });
  await expect.poll(() => http("GET", `/v1/runs/${halting}`)).toMatchObject({ status: "running" });
  const cancelling = world.call("desk", `tasks/${taskId}:cancel`, {});
  const queued = async () => {
    const { runs } = await http("GET", `/v1/runs?appName=desk&userId=${owner.userId}&status=pending`);
    return (runs as readonly JsonObject[]).map(({ runId }) => String(runId));
  };
  await expect.poll(queued).toHaveLength(1);
  const [refusal] = await queued();
  await http("POST", `/v1/runs/${refusal}/cancel`, {});
  world.desk.gate.resolve();
  await cancelling;
  await world.call("desk", `tasks/${taskId}:cancel`, {});
  const state = async () => JSON.parse((await world.call("desk", `tasks/${taskId}`)).text);
  await expect.poll(state).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
});

it("a task waits for the final response to work that has begun, although its agent has answered", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const begun = await world.send("desk", world.message("job"));
  const { id: taskId } = begun;
  const waiting = {
    state: "TASK_STATE_INPUT_REQUIRED",
    message: { parts: [{ data: { id: "c1", name: "start_job" } }] },
  };
  expect(begun).toMatchObject({ status: waiting, artifacts: expect.arrayContaining([expect.anything()]) });
  expect(JSON.stringify(begun["artifacts"])).toContain("It has begun.");
  expect(JSON.parse((await world.call("desk", `tasks/${taskId}`)).text)).toMatchObject({ status: waiting });
  expect(JSON.parse((await world.call("desk", "tasks?status=TASK_STATE_INPUT_REQUIRED")).text)).toMatchObject({
    tasks: [{ id: taskId }],
  });
  const calls = await (await fetch(`${world.server.url}/v1/runs/${taskId}/calls`)).json();
  expect(calls).toMatchObject({ calls: [{ id: "c1", interimResponse: { status: "pending" } }] });

  const refused = await world.call("desk", "message:send", world.message("How long?", { taskId: String(taskId) }));
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("start_job (c1)")]);

  const response = { id: "c1", name: "start_job", response: { status: "done" } };
  const parts = [{ data: response, metadata: { adk_type: "function_response" } }];
  const done = await world.send("desk", world.message("done", { taskId: String(taskId), parts }));
  expect(done).toMatchObject({ id: taskId, status: { state: "TASK_STATE_COMPLETED" } });
  const late = await world.call("desk", "message:send", world.message("again", { taskId: String(taskId), parts }));
  expect([late.status, late.text]).toEqual([400, expect.stringContaining("does not wait for input")]);
});

it.each([
  ["of its answer", (id: string) => `tasks/${id}`],
  ["of a list", () => "tasks?status=TASK_STATE_FAILED"],
])("a task whose agent reports an error has failed, in the state %s", async (_, path) => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const failed = await world.send("desk", world.message("forbidden"));
  const status = {
    state: "TASK_STATE_FAILED",
    message: { parts: [{ text: "The answer was blocked." }], metadata: { adk_error_code: "SAFETY" } },
  };
  expect(failed).toMatchObject({ status });
  expect(JSON.parse((await world.call("desk", path(String(failed["id"])))).text)).toMatchObject(
    path("").includes("?") ? { tasks: [{ status }] } : { status },
  );
  expect(JSON.parse((await world.call("desk", "tasks?status=TASK_STATE_COMPLETED")).text)).toMatchObject({ tasks: [] });
  // The run itself has ended regularly: its readers get no error beside the event.
  const run = await (await fetch(`${world.server.url}/v1/runs/${failed["id"]}`)).json();
  expect(run).toMatchObject({ status: "succeeded", error: { reason: "SAFETY", message: "The answer was blocked." } });
});

it("a task that waits for a credential says so, and takes no text for it", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const { id: taskId, status } = await world.send("desk", world.message("sign in"));
  expect(status).toMatchObject({ state: "TASK_STATE_AUTH_REQUIRED" });
  const refused = await world.call("desk", "message:send", world.message("my password", { taskId: String(taskId) }));
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`${CREDENTIAL_CALL} (c1)`)]);
});

it("each answer of a task is an artifact, whose first chunk begins it", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const updates = updatesOf((await world.call("desk", "message:stream", world.message("go"))).text);
  const [first, second] = [...new Set(updates.map(({ artifactId }) => artifactId))];
  expect(first).not.toBe(second);
  expect(updates).toEqual([...chunksOf(first, "one"), ...chunksOf(second, "two")]);
});

it("a client that subscribes later gets the task as it stands, and then only what is new", async () => {
  verifies("platform:a2a:tasks");
  await using world = await startServer();
  const immediate = { configuration: { returnImmediately: true } };
  const { id } = await world.send("desk", { ...world.message("halt"), ...immediate });
  const stored = async () => (await world.call("desk", `tasks/${id}`)).text.includes('"text":"one"');
  await vi.waitUntil(stored, { timeout: 20_000 });
  const answer = await fetch(`${world.server.url}/a2a/desk/tasks/${id}:subscribe`, {
    headers: { "a2a-version": "1.0" },
  });
  world.desk.gate.resolve();
  const text = await answer.text();
  const [first = ""] = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => json);
  expect(JSON.parse(first)).toMatchObject({ task: { id, artifacts: [{ parts: [{ text: "one" }] }] } });
  const updates = updatesOf(text);
  expect(updates).toEqual(chunksOf(updates[0]?.artifactId, "two"));
});
