import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { DemoModel } from "#kit/models/demo/demo-model.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { createServer } from "#services/standalone/create-server.ts";
import { verifies } from "#test/helpers/verifies.ts";

function appNamed(name: string, examples?: readonly string[]) {
  const rootAgent = new LlmAgent({ name: "agent", model: new DemoModel({ pauseMs: 0 }), instruction: "Help." });
  return createApp({ name, rootAgent, ...(examples !== undefined && { examples }) });
}

async function documentOf(
  ...apps: readonly ReturnType<typeof appNamed>[]
): Promise<{ text: string; url: string } & AsyncDisposable> {
  const server = await createServer({ agents: apps });
  const url = await server.listen({ port: 0 });
  const text = await (await fetch(`${url}/openapi.json`)).text();
  return { text, url, [Symbol.asyncDispose]: () => server.close() };
}

function exampleOf(text: string, path: string): JsonObject {
  const { paths } = JSON.parse(text);
  return paths[path].post.requestBody.content["application/json"].example;
}

describe("the API's description", () => {
  it("shows the server's first app with a message of its author, and its examples work", async () => {
    verifies("peers:openapi:own-examples");
    const message = 'Book a "table" for two';
    await using served = await documentOf(appNamed("tables", ["No"]), appNamed('a"b', [message, "Cancel it"]));
    const { text, url } = served;
    const run = exampleOf(text, "/run");
    expect(run).toMatchObject({ appName: 'a"b', userId: "me", newMessage: { parts: [{ text: message }] } });
    expect(text).not.toMatch(/weather|Paris is sunny/);
    const { info, paths } = JSON.parse(text);
    expect(info.description).toContain('of the app `a"b` for the user `me`');
    // What a stream sends is JSON in a text.
    const frames: string = paths["/run_sse"].post.responses["200"].content["text/event-stream"].example;
    const data = frames.split("\n").filter((line) => line.startsWith("data: "));
    for (const line of data) expect(JSON.parse(line.slice(6))).toMatchObject({ author: 'a"b' });
    expect(data.length).toBeGreaterThan(0);
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/apps/${encodeURIComponent('a"b')}/users/me/sessions/first`, { method: "POST" });
    const answer = await fetch(`${url}/run`, { method: "POST", headers, body: JSON.stringify(run) });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("You said:")]);
  });

  it("has a general message for an app without examples, and keeps its own where the app of the samples is served", async () => {
    verifies("peers:openapi:own-examples");
    await using own = await documentOf(appNamed("tables"));
    expect(exampleOf(own.text, "/run")).toMatchObject({
      appName: "tables",
      newMessage: { parts: [{ text: "Hello! What can you do?" }] },
    });
    await using sample = await documentOf(appNamed("tables"), appNamed("weather"));
    expect(exampleOf(sample.text, "/run")).toMatchObject({ appName: "weather" });
  });

  it("names no app of a server with authentication", async () => {
    verifies("peers:openapi:own-examples");
    const server = await createServer({
      agents: [appNamed("secret_project")],
      config: { AUTH: ["proxy"], TRUSTED_PROXIES: ["127.0.0.1"] },
    });
    await using _ = server;
    const url = await server.listen({ port: 0 });
    expect(await (await fetch(`${url}/openapi.json`)).text()).not.toContain("secret_project");
  });

  it.each([[[""]], [["x".repeat(1001)]], [Array.from({ length: 21 }, () => "x")], ["text"], [[7]]])(
    "takes no examples like %#",
    (examples) => {
      // Programs in JavaScript can give any value.
      expect(() => appNamed("a", examples as readonly string[])).toThrow(
        "examples must be a list of at most 20 messages",
      );
    },
  );
});
