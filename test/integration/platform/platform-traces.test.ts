import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type CollectedSpan, startTraceCollector } from "#test/helpers/servers/trace-collector.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { PLATFORM_SERVICES, PlatformClient, PlatformWorld } from "#tooling/processes/platform-world.ts";

const AGENTS_DIR = fileURLToPath(new URL("../../fixtures/platform-agents", import.meta.url));
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";

function shortName({ service, name }: CollectedSpan): string {
  return `${service.replace("fairlead-", "")} ${name.replace(/^fairlead\.\w+\.v1\./, "")}`;
}

describe.skipIf(whyNoRedis() !== undefined)("a request to six processes", { timeout: 60_000 }, () => {
  it("is one trace at the collector: from HTTP through gRPC to the model, the tool and the stores", async () => {
    await using collector = await startTraceCollector();
    const settings = { AGENTS_DIR, TRUST_TRACEPARENT: "true", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url };
    await using world = await PlatformWorld.create({ settings });
    world.startAll();
    await world.untilReady();
    await new PlatformClient(world.url, "teller").createSession("talk");
    const answer = await fetch(`${world.url}/run`, {
      method: "POST",
      headers: { "content-type": "application/json", traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01` },
      body: JSON.stringify({
        appName: "teller",
        userId: "ada",
        sessionId: "talk",
        newMessage: { role: "user", parts: [{ text: "keep tea" }] },
      }),
    });
    expect(await answer.json()).toHaveLength(3);
    // Their shutdown sends the queued spans.
    for (const service of PLATFORM_SERVICES) await world.process(service).end("SIGTERM");

    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    const parentOf = (id: string | undefined): string => {
      const parent = spans.find(({ spanId }) => spanId === id);
      return parent === undefined ? (id ?? "none") : shortName(parent);
    };
    const tree = new Set(spans.map((span) => `${parentOf(span.parentSpanId)} > ${shortName(span)}`));
    expect([...tree].sort()).toEqual([
      `${CLIENT_SPAN} > gateway POST /run`,
      "gateway POST /run > runner RunnerService/StartRun",
      "runner RunnerService/StartRun > artifact ArtifactService/SaveArtifact",
      "runner RunnerService/StartRun > runner invocation",
      "runner RunnerService/StartRun > session RunJournalService/AppendEvents",
      "runner RunnerService/StartRun > session RunJournalService/BeginRun",
      "runner RunnerService/StartRun > session RunJournalService/FinishRun",
      "runner RunnerService/StartRun > session RunJournalService/SignGrant",
      "runner invocation > runner invoke_agent teller",
      "runner invoke_agent teller > runner chat teller",
      "runner invoke_agent teller > runner execute_tool keep",
    ]);
    expect(JSON.stringify(spans)).not.toContain("tea");
  });
});
