import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { otlpTarget } from "./otlp-settings.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const span = (index: number, more: Partial<SpanRecord> = {}): SpanRecord => ({
  name: `span ${index}`,
  traceId: TRACE_ID,
  spanId: index.toString(16).padStart(16, "0"),
  startTime: 1_700_000_000_000.25,
  endTime: 1_700_000_001_000.5,
  attributes: {},
  ...more,
});

/** A collector that keeps what it gets. */
async function startCollector(status = 200) {
  const received: { url: string | undefined; headers: IncomingHttpHeaders; body: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({ url: request.url, headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    received,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Spans of all requests, without what is the same in each. */
function spansOf(received: readonly { body: Record<string, unknown> }[]): Record<string, unknown>[] {
  const find = (value: unknown): Record<string, unknown>[] => {
    if (Array.isArray(value)) return value.flatMap(find);
    if (typeof value !== "object" || value === null) return [];
    if ("spans" in value && Array.isArray(value.spans)) return value.spans;
    return Object.values(value).flatMap(find);
  };
  return received.flatMap(({ body }) => find(body));
}

describe("OtlpExporter", () => {
  it("sends spans as OTLP JSON with resource, headers, times, attributes and errors", async () => {
    verifies("events:trace:bounded");
    await using collector = await startCollector();
    const target = otlpTarget({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "",
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%20b, x-key=k=1",
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    });
    if (target === undefined) throw new Error("no target");
    await using exporter = new OtlpExporter({ ...target, logger: silentLogger });
    exporter.add([
      span(1, {
        attributes: {
          "gen_ai.request.model": "m",
          tokens: 7,
          ratio: 0.5,
          ok: true,
          reasons: ["stop"],
          nested: { a: 1 },
          none: null,
        },
      }),
      span(2, { parentSpanId: span(1).spanId, error: "Error: no" }),
    ]);
    await exporter.flush();

    const [request] = collector.received;
    expect([request?.url, request?.headers["x-team"], request?.headers["x-key"]]).toEqual(["/v1/traces", "a b", "k=1"]);
    expect(request?.body).toMatchObject({
      resourceSpans: [
        {
          resource: {
            attributes: [
              { key: "service.version", value: { stringValue: expect.any(String) } },
              { key: "deployment.environment", value: { stringValue: "test" } },
              { key: "service.name", value: { stringValue: "shop" } },
            ],
          },
          scopeSpans: [{ scope: { name: "fairlead" } }],
        },
      ],
    });
    expect(spansOf(collector.received)).toMatchObject([
      {
        name: "span 1",
        traceId: TRACE_ID,
        spanId: "0000000000000001",
        kind: 3,
        startTimeUnixNano: "1700000000000250000",
        endTimeUnixNano: "1700000001000500000",
        status: { code: 0 },
        attributes: [
          { key: "gen_ai.request.model", value: { stringValue: "m" } },
          { key: "tokens", value: { intValue: 7 } },
          { key: "ratio", value: { doubleValue: 0.5 } },
          { key: "ok", value: { boolValue: true } },
          { key: "reasons", value: { arrayValue: { values: [{ stringValue: "stop" }] } } },
          { key: "nested", value: { stringValue: '{"a":1}' } },
        ],
      },
      { name: "span 2", parentSpanId: "0000000000000001", kind: 1, status: { code: 2, message: "Error: no" } },
    ]);
  });

  it("sends in batches, in order", async () => {
    await using collector = await startCollector();
    await using exporter = new OtlpExporter({
      url: collector.url,
      resourceAttributes: {},
      logger: silentLogger,
      batchSize: 2,
    });
    exporter.add([span(1), span(2), span(3)]);
    await exporter.flush();
    expect(collector.received.map((request) => spansOf([request]).map(({ name }) => name))).toEqual([
      ["span 1", "span 2"],
      ["span 3"],
    ]);
  });

  it("sends a full batch at once, and fewer spans after the delay", async () => {
    await using collector = await startCollector();
    const options = { url: collector.url, resourceAttributes: {}, logger: silentLogger, batchSize: 2 };
    const HOUR = 3_600_000;
    await using patient = new OtlpExporter({ ...options, delayMs: HOUR });
    patient.add([span(1)]);
    patient.add([span(2)]);
    await expect.poll(() => spansOf(collector.received).map(({ name }) => name)).toEqual(["span 1", "span 2"]);
    await patient.flush();
    patient.add([span(3), span(4)]);
    await expect.poll(() => spansOf(collector.received)).toHaveLength(4);
    await using quick = new OtlpExporter({ ...options, delayMs: 1 });
    quick.add([span(5)]);
    await expect.poll(() => spansOf(collector.received)).toHaveLength(5);
  });

  it("sends what waits when it is disposed of", async () => {
    await using collector = await startCollector();
    {
      await using exporter = new OtlpExporter({ url: collector.url, resourceAttributes: {}, logger: silentLogger });
      exporter.add([span(1)]);
    }
    expect(spansOf(collector.received)).toHaveLength(1);
  });

  it("keeps a bounded queue and counts what it drops", async () => {
    await using collector = await startCollector();
    await using exporter = new OtlpExporter({
      url: collector.url,
      resourceAttributes: {},
      logger: silentLogger,
      maxQueued: 2,
      batchSize: 10,
    });
    exporter.add([span(1), span(2), span(3)]);
    exporter.add([span(4)]);
    await exporter.flush();
    expect([exporter.dropped, spansOf(collector.received).map(({ name }) => name)]).toEqual([2, ["span 1", "span 2"]]);
  });

  it("drops and counts what a collector refuses, logs it once, and continues", async () => {
    await using collector = await startCollector(400);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => void warnings.push(message) };
    await using exporter = new OtlpExporter({ url: collector.url, resourceAttributes: {}, logger, batchSize: 1 });
    exporter.add([span(1), span(2)]);
    await exporter.flush();
    expect([exporter.dropped, warnings]).toEqual([2, ["spans cannot be exported"]]);
  });
});

describe("otlpTarget", () => {
  const off = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "",
    OTEL_EXPORTER_OTLP_HEADERS: "",
    OTEL_SERVICE_NAME: "s",
    OTEL_RESOURCE_ATTRIBUTES: "",
  };

  it("is absent without an endpoint", () => {
    expect(otlpTarget(off)).toBeUndefined();
  });

  it("takes the traces' own endpoint as it is", () => {
    expect(
      otlpTarget({ ...off, OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://b/x" })
        ?.url,
    ).toBe("http://b/x");
  });
});
