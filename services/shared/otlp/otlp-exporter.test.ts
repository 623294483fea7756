import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { silentLogger } from "#kit/platform/logger.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { type OtlpReceiver, startOtlpReceiver } from "#test/fakes/otlp-receiver.ts";
import { verifies } from "#test/helpers/verifies.ts";
import type { OtlpProtocol } from "./otlp-connection.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { type OtlpConfig, otlpConfigSchema, otlpTarget, resourceAttributesOf } from "./otlp-settings.ts";

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

function namesOf({ spans }: OtlpReceiver): readonly string[] {
  return spans.map(({ name }) => name);
}

function configOf(settings: Partial<OtlpConfig>): OtlpConfig {
  return { ...defaultsOf(otlpConfigSchema), ...settings };
}

describe("OtlpExporter", () => {
  it.each<[OtlpProtocol, "none" | "gzip"]>([
    ["http/protobuf", "none"],
    ["http/protobuf", "gzip"],
    ["http/json", "none"],
    ["grpc", "none"],
    ["grpc", "gzip"],
  ])("sends spans by %s (%s) with resource, headers, times, attributes and errors", async (protocol, compression) => {
    verifies("events:trace:bounded");
    await using collector = await startOtlpReceiver();
    const config = configOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: protocol === "grpc" ? collector.grpcUrl : `${collector.url}/`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=a%20b, x-key=k=1",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-own=yes",
      OTEL_SERVICE_NAME: "shop",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    });
    const target = otlpTarget(config, "traces");
    if (target === undefined) throw new Error("no target");
    const resourceAttributes = resourceAttributesOf(config);
    await using exporter = new OtlpExporter({ ...target, resourceAttributes, logger: silentLogger });
    exporter.add([
      span(1, {
        name: "call_llm",
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.request.model": "m",
          "gcp.vertex.agent.llm_request": "{}",
          tokens: 7,
          ratio: 0.5,
          ok: true,
          reasons: ["stop"],
          nested: { a: 1 },
          none: null,
        },
      }),
      span(2, { parentSpanId: span(1).spanId, error: "QuotaError: no" }),
    ]);
    await exporter.flush();

    const [request] = collector.requests;
    expect([request?.headers["x-team"], request?.headers["x-key"], request?.headers["x-own"]]).toEqual([
      "a b",
      "k=1",
      "yes",
    ]);
    const resource = {
      "service.version": expect.any(String),
      "deployment.environment": "test",
      "service.name": "shop",
    };
    expect(collector.spans).toMatchObject([
      {
        name: "chat m",
        traceId: TRACE_ID,
        spanId: "0000000000000001",
        parentSpanId: "",
        kind: 3,
        times: ["1700000000000250000", "1700000001000500000"],
        status: {},
        resource,
      },
      {
        name: "span 2",
        parentSpanId: "0000000000000001",
        kind: 1,
        status: { code: 2, message: "QuotaError: no" },
        attributes: { "error.type": "QuotaError" },
      },
    ]);
    // What ADK's readers need says nothing to others.
    expect(collector.spans[0]?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      tokens: 7,
      ratio: 0.5,
      ok: true,
      reasons: ["stop"],
      nested: '{"a":1}',
    });
    expect([collector.problems, exporter.dropped]).toEqual([[], 0]);
  });

  it("sends in batches, in order", async () => {
    await using collector = await startOtlpReceiver();
    await using exporter = new OtlpExporter({
      url: `${collector.url}/v1/traces`,
      resourceAttributes: {},
      logger: silentLogger,
      batchSize: 2,
    });
    exporter.add([span(1), span(2), span(3)]);
    await exporter.flush();
    expect([collector.requests.length, namesOf(collector)]).toEqual([2, ["span 1", "span 2", "span 3"]]);
  });

  it("sends a full batch at once, and fewer spans after the delay", async () => {
    await using collector = await startOtlpReceiver();
    const options = { url: `${collector.url}/v1/traces`, resourceAttributes: {}, logger: silentLogger, batchSize: 2 };
    const HOUR = 3_600_000;
    await using patient = new OtlpExporter({ ...options, delayMs: HOUR });
    patient.add([span(1)]);
    patient.add([span(2)]);
    await expect.poll(() => namesOf(collector)).toEqual(["span 1", "span 2"]);
    await patient.flush();
    patient.add([span(3), span(4)]);
    await expect.poll(() => collector.spans).toHaveLength(4);
    await using quick = new OtlpExporter({ ...options, delayMs: 1 });
    quick.add([span(5)]);
    await expect.poll(() => collector.spans).toHaveLength(5);
  });

  it("sends what waits when it is disposed of", async () => {
    await using collector = await startOtlpReceiver();
    {
      await using exporter = new OtlpExporter({
        url: `${collector.url}/v1/traces`,
        resourceAttributes: {},
        logger: silentLogger,
      });
      exporter.add([span(1)]);
    }
    expect(collector.spans).toHaveLength(1);
  });

  it("does not wait for each batch when it is disposed of while the collector takes none", async () => {
    await using collector = await startOtlpReceiver();
    collector.statuses.push(...Array.from({ length: 20 }, () => 400));
    const url = `${collector.url}/v1/traces`;
    const exporter = new OtlpExporter({ url, resourceAttributes: {}, logger: silentLogger, batchSize: 1 });
    exporter.add(Array.from({ length: 20 }, (_, index) => span(index)));
    await exporter[Symbol.asyncDispose]();
    expect([collector.requests.length, exporter.dropped]).toEqual([1, 20]);
  });

  it("keeps a bounded queue and counts what it drops", async () => {
    await using collector = await startOtlpReceiver();
    await using exporter = new OtlpExporter({
      url: `${collector.url}/v1/traces`,
      resourceAttributes: {},
      logger: silentLogger,
      maxQueued: 2,
      batchSize: 10,
    });
    exporter.add([span(1), span(2), span(3)]);
    exporter.add([span(4)]);
    await exporter.flush();
    expect([exporter.dropped, namesOf(collector)]).toEqual([2, ["span 1", "span 2"]]);
  });

  it("drops and counts what a collector refuses, logs it once, and continues", async () => {
    await using collector = await startOtlpReceiver();
    collector.statuses.push(400, 400);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => void warnings.push(message) };
    await using exporter = new OtlpExporter({
      url: `${collector.url}/v1/traces`,
      resourceAttributes: {},
      logger,
      batchSize: 1,
    });
    exporter.add([span(1), span(2)]);
    await exporter.flush();
    expect([exporter.dropped, warnings]).toEqual([2, ["spans cannot be exported"]]);
  });
});

describe("a collector that fails", () => {
  it("is reported again when it has worked in between", async () => {
    await using collector = await startOtlpReceiver();
    collector.statuses.push(400, 200, 400);
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => void warnings.push(message) };
    await using exporter = new OtlpExporter({ url: `${collector.url}/v1/traces`, resourceAttributes: {}, logger });
    for (let index = 1; index <= 3; index += 1) {
      exporter.add([span(index)]);
      await exporter.flush();
    }
    expect([exporter.dropped, warnings.length, namesOf(collector)]).toEqual([2, 2, ["span 2"]]);
  });

  it.each<OtlpProtocol>(["http/protobuf", "http/json", "grpc"])(
    "by never answering loses the batch after the time limit (%s)",
    { timeout: 20_000 },
    async (protocol) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      // A TCP server's address is an object.
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
      const given = { url, protocol, timeoutMs: 300, resourceAttributes: {}, logger: silentLogger };
      await using exporter = new OtlpExporter(given);
      exporter.add([span(1)]);
      await exporter.flush();
      expect(exporter.dropped).toBe(1);
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  );
});

describe("otlpTarget", () => {
  it.each<[string, Partial<OtlpConfig>, readonly (string | undefined)[]]>([
    ["nothing is exported without an endpoint", {}, [undefined, undefined, undefined]],
    [
      "a base URL is for traces alone",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a/x/" },
      ["http://a/x/v1/traces", undefined, undefined],
    ],
    [
      "other signals are asked for",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_METRICS_EXPORTER: "otlp", OTEL_LOGS_EXPORTER: "otlp" },
      ["http://a/v1/traces", "http://a/v1/metrics", "http://a/v1/logs"],
    ],
    [
      "endpoints of signals are taken as they are",
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://b/x", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "http://c" },
      ["http://b/x", undefined, "http://c"],
    ],
    [
      "a signal can be off",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_TRACES_EXPORTER: "none" },
      [undefined, undefined, undefined],
    ],
    [
      "everything can be off",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a", OTEL_LOGS_EXPORTER: "otlp", OTEL_SDK_DISABLED: true },
      [undefined, undefined, undefined],
    ],
    [
      "gRPC has no paths",
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://a:4317", OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" },
      ["http://a:4317", undefined, undefined],
    ],
  ])("%s", (_, settings, urls) => {
    const config = configOf(settings);
    expect((["traces", "metrics", "logs"] as const).map((signal) => otlpTarget(config, signal)?.url)).toEqual(urls);
  });
});
