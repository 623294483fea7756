import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Resource } from "@opentelemetry/resources";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { type ExportedSpan, toExportedSpan } from "./otlp-span.ts";

export interface OtlpExporterOptions {
  /** Where spans go, with the path: `http://collector:4318/v1/traces`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Attributes of the exporting process: `service.name` and others. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Most waiting spans; further ones are dropped and counted. */
  readonly maxQueued?: number;
  readonly batchSize?: number;
  readonly delayMs?: number;
  /** Longest try for one batch, repetitions included. */
  readonly timeoutMs?: number;
}

const DEFAULTS = { maxQueued: 8192, batchSize: 512, delayMs: 2000, timeoutMs: 5000 };

interface Connection {
  readonly exporter: OTLPTraceExporter;
  readonly resource: Resource;
}

/** Sends finished spans to an OpenTelemetry collector in batches. Its libraries are loaded for the first batch. */
export class OtlpExporter implements AsyncDisposable {
  readonly #options: OtlpExporterOptions & typeof DEFAULTS;
  #queue: SpanRecord[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isConnected = false;
  readonly #connection = lazy(() => this.#connect());
  #failing = false;

  constructor(options: OtlpExporterOptions) {
    this.#options = { ...options, ...withDefaults(DEFAULTS, options) };
  }

  /** Spans that were dropped: the queue was full, or the collector refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  add(spans: readonly SpanRecord[]): void {
    const { maxQueued, batchSize, delayMs } = this.#options;
    const room = maxQueued - this.#queue.length;
    if (spans.length > room) this.#dropped += spans.length - Math.max(0, room);
    for (const span of spans.length > room ? spans.slice(0, Math.max(0, room)) : spans) this.#queue.push(span);
    if (this.#queue.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Sends all waiting spans. Never throws: spans that cannot be sent are dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush();
    if (this.#isConnected) await (await this.#connection()).exporter.shutdown();
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.batchSize);
      try {
        const { exporter, resource } = await this.#connection();
        this.#isConnected = true;
        await send(
          exporter,
          batch.map((span) => toExportedSpan(span, resource)),
        );
        this.#failing = false;
      } catch (error) {
        this.#dropped += batch.length;
        // Logged once for each outage of the collector, not for each batch.
        if (!this.#failing) this.#options.logger.warn({ error, dropped: this.#dropped }, "spans cannot be exported");
        this.#failing = true;
      }
    }
  }

  async #connect(): Promise<Connection> {
    const { url, headers = {}, timeoutMs, resourceAttributes } = this.#options;
    const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
    return {
      exporter: new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs }),
      resource: resourceFromAttributes(resourceAttributes),
    };
  }
}

function send(exporter: OTLPTraceExporter, spans: ExportedSpan[]): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export(spans, ({ code, error }) => {
      if (code === 0) resolve();
      else reject(error ?? new Error("The collector refused the spans."));
    });
  });
}
