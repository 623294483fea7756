import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { createStandalone } from "#services/standalone/create-standalone.ts";
import { loadConfig } from "#shared/config/load-config.ts";

/** A collector that keeps the names of the spans it gets. */
async function startCollector() {
  const names: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const [, name = ""] of Buffer.concat(chunks)
      .toString()
      .matchAll(/"spanId":"\w+",.*?"name":"([^"]+)"/g))
      names.push(name);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return { names, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

it("shows a run in the metrics, in the debugging routes and at the collector", async () => {
  using collector = await startCollector();
  const config = loadConfig(standaloneConfigSchema, {
    PORT: "0",
    SESSION_STORE: "memory",
    ARTIFACT_STORE: "memory",
    MEMORY_STORE: "memory",
    EVAL_STORE: "memory",
    CREDENTIAL_STORE: "memory",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  const agent = new LlmAgent({ name: "app", model: new ScriptedModel(["hello"]) });
  {
    await using server = await createStandalone({
      config,
      agentLoader: new StaticAgentLoader([agent]),
      logger: silentLogger,
    });
    const session = `${server.url}/apps/app/users/ada/sessions/talk`;
    await fetch(session, { method: "POST" });
    const answer = await fetch(`${server.url}/run`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        appName: "app",
        userId: "ada",
        sessionId: "talk",
        newMessage: { role: "user", parts: [{ text: "hi" }] },
      }),
    });
    expect(answer.status).toBe(200);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain('fairlead_runs_total{app="app",status="succeeded"} 1');
    expect(metrics).toContain('fairlead_http_requests_total{method="POST",route="/run",status="200"} 1');
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(await (await fetch(`${server.url}/debug/trace/session/talk`)).json()).toHaveLength(3);
  }
  expect(collector.names.sort()).toEqual(["call_llm", "invocation", "invoke_agent app"]);
});
