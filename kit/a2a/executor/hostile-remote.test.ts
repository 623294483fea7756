import type { ServerResponse } from "node:http";
import { afterEach, expect, it } from "vitest";
import { RemoteA2AAgent } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { A2AClientError, AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { Runner } from "#kit/runs/runner.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { type PeerRequest, startA2aPeer } from "#test/helpers/a2a/a2a-peer.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { AgentExecutor } from "./agent-executor.ts";

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

type Answer = (request: PeerRequest, response: ServerResponse) => boolean;

async function failureOf(answer: Answer, allowedHosts = ["127.0.0.1"]): Promise<unknown> {
  const agent = new LlmAgent({ name: "checker", model: new ScriptedModel(["7 is prime"]) });
  const peer = await startA2aPeer(new AgentExecutor({ agent }), { answer });
  const outbound = createOutboundAccess({ allowedHosts });
  opened.push(peer, outbound);
  const remote = new RemoteA2AAgent({ name: "primes", agentCard: peer.origin });
  const runner = new Runner({ agent: remote, appName: "app", outbound, runConfig: { autoCreateSession: true } });
  const newMessage = { role: "user", parts: [{ text: "is 7 prime?" }] };
  try {
    for await (const _ of runner.runAsync({ userId: "u", sessionId: "s", newMessage }));
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Answers the message with a stream of these results. */
const streams =
  (results: Iterable<unknown>): Answer =>
  ({ method }, response) => {
    if (method !== "SendStreamingMessage") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const all = results[Symbol.iterator]();
    const write = (): void => {
      for (let next = all.next(); next.done !== true; next = all.next()) {
        const isWritable = response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: next.value })}\n\n`);
        if (response.destroyed) return;
        if (!isWritable) return void response.once("drain", write);
      }
      response.end();
    };
    write();
    return true;
  };

const task = (id: string) => ({ task: { id, contextId: "c", status: { state: "TASK_STATE_WORKING" } } });
const update = (taskId: string, parts: unknown[], append = true) => ({
  artifactUpdate: { taskId, contextId: "c", artifact: { artifactId: "a", parts }, append },
});

function* forever(parts: unknown[]) {
  yield task("t");
  for (;;) yield update("t", parts);
}

it.each([
  ["an endless stream of large parts", forever([{ text: "x".repeat(1024 * 1024) }]), /more than 134217728 bytes/],
  ["an endless stream of small parts", forever([{ text: "x" }]), /more than 10000 parts/],
  ["one update of 10 MB", [task("t"), update("t", [{ text: "x".repeat(10 * 1024 * 1024) }])], /bytes/],
  [
    "a million parts",
    [
      task("t"),
      update(
        "t",
        Array.from({ length: 300_000 }, () => ({ text: "" })),
      ),
    ],
    /10000 parts/,
  ],
  ["updates of another task", [task("t"), update("other", [{ text: "x" }])], /another task/],
  ["a task without an id", [task("")], /another task/],
  ["a stream without an answer", [], /neither a message nor a task/],
] as const)("ends with an error that names it: %s", async (_, results, message) => {
  verifies("errors:a2a-client");
  const error = await failureOf(streams(results));
  expect(error).toBeInstanceOf(A2AClientError);
  expect(String(error)).toMatch(message);
  expect(String(error)).toContain('Agent "primes"');
});

const cards =
  (status: number, headers: Record<string, string>, body: string): Answer =>
  (request, response) => {
    if (request.method !== "card") return false;
    response.writeHead(status, headers).end(body);
    return true;
  };

it.each([
  [
    "is too large",
    cards(200, { "content-type": "application/json" }, " ".repeat(2 * 1024 * 1024)),
    /more than 1048576/,
  ],
  ["is no JSON", cards(200, { "content-type": "application/json" }, "<html>"), /cannot be read/],
  ["is absent", cards(404, {}, ""), /status 404/],
  ["names no interface", cards(200, {}, "{}"), /names no interface/],
  [
    "names an interface of another origin",
    cards(
      200,
      {},
      JSON.stringify({ name: "x", supportedInterfaces: [{ url: "https://evil.example", protocolBinding: "JSONRPC" }] }),
    ),
    /no interface of that origin/,
  ],
])("reports a card that %s", async (_, answer, message) => {
  verifies("errors:agent-card-resolution");
  const error = await failureOf(answer);
  expect(error).toBeInstanceOf(AgentCardResolutionError);
  expect(String(error)).toMatch(message);
});

it("calls no address of the server's own network", async () => {
  expect(String(await failureOf(() => false, []))).toContain("127.0.0.1");
  const elsewhere = cards(302, { location: "http://169.254.169.254/latest" }, "");
  expect(String(await failureOf(elsewhere))).toContain("169.254.169.254");
  const moved: Answer = ({ method }, response) => {
    if (method === "card") return false;
    response.writeHead(307, { location: "http://example.com/" }).end();
    return true;
  };
  expect(String(await failureOf(moved))).toMatch(/redirect/);
});

it("has errors with a message and a cause", () => {
  verifies("errors:a2a-client:cause");
  verifies("errors:agent-card-resolution:cause");
  verifies("errors:type");
  const cause = new Error("socket closed");
  for (const error of [
    new A2AClientError("it failed", cause),
    new RemoteA2AAgent.AgentCardResolutionError("it failed", cause),
  ]) {
    expect(error).toBeInstanceOf(PlatformError);
    expect({ message: error.message, cause: error.cause }).toEqual({ message: "it failed", cause });
  }
  expect(new RemoteA2AAgent.TypeError("wrong")).toBeInstanceOf(TypeError);
});
