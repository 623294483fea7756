import type { Resource } from "@opentelemetry/resources";
import { lazy } from "#kit/platform/lazy.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { withDefaults } from "#kit/platform/members.ts";
import type { SpanRecord } from "#kit/telemetry/span.ts";
import { connectOtlp, type OtlpConnection, type OtlpItems, type OtlpTarget } from "./otlp-connection.ts";
import { toExportedSpan } from "./otlp-span.ts";

export interface OtlpExporterOptions extends OtlpTarget {
  /** Attributes of the exporting process: `service.name` and others. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Most waiting items; further ones are dropped and counted. */
  readonly maxQueued?: number;
  readonly batchSize?: number;
  readonly delayMs?: number;
}

/** One kind of telemetry that is sent item by item. */
interface Kind<Item, Signal extends "traces" | "logs"> {
  readonly signal: Signal;
  /** Logged when the collector does not take items. */
  readonly failure: string;
  readonly encode: (item: Item, resource: Resource) => OtlpItems[Signal][number];
}

const DEFAULTS = { maxQueued: 8192, batchSize: 512, delayMs: 2000, timeoutMs: 5000 };

interface Connection<Signal extends "traces" | "logs"> {
  readonly collector: OtlpConnection<Signal>;
  readonly resource: Resource;
}

/** Sends items to an OpenTelemetry collector in batches. Its libraries are loaded for the first batch. */
export class OtlpQueue<Item, Signal extends "traces" | "logs"> implements AsyncDisposable {
  readonly #options: OtlpExporterOptions & typeof DEFAULTS;
  readonly #kind: Kind<Item, Signal>;
  #queue: Item[] = [];
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isConnected = false;
  #isClosing = false;
  readonly #connection = lazy(() => this.#connect());
  #failing = false;

  constructor(options: OtlpExporterOptions, kind: Kind<Item, Signal>) {
    this.#options = { ...options, ...withDefaults(DEFAULTS, options) };
    this.#kind = kind;
  }

  /** Items that were dropped: the queue was full, or the collector refused them. */
  get dropped(): number {
    return this.#dropped;
  }

  add(items: readonly Item[]): void {
    const { maxQueued, batchSize, delayMs } = this.#options;
    const room = maxQueued - this.#queue.length;
    if (items.length > room) this.#dropped += items.length - Math.max(0, room);
    for (const item of items.length > room ? items.slice(0, Math.max(0, room)) : items) this.#queue.push(item);
    if (this.#queue.length >= batchSize) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Sends all waiting items. Never throws: items that cannot be sent are dropped. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Sends what waits. When the collector does not take a batch, the rest is dropped: the process does not wait for each. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.flush();
    if (this.#isConnected) await (await this.#connection()).collector.close();
  }

  async #sendAll(): Promise<void> {
    const { encode, failure } = this.#kind;
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#options.batchSize);
      try {
        const { collector, resource } = await this.#connection();
        this.#isConnected = true;
        // The library's type of requests is a list of what `encode` returns.
        await collector.send(batch.map((item) => encode(item, resource)) as OtlpItems[Signal]);
        this.#failing = false;
      } catch (error) {
        this.#dropped += batch.length;
        if (this.#isClosing) this.#dropped += this.#queue.splice(0).length;
        // Logged once for each outage of the collector, not for each batch.
        if (!this.#failing) this.#options.logger.warn({ error, dropped: this.#dropped }, failure);
        this.#failing = true;
      }
    }
  }

  async #connect(): Promise<Connection<Signal>> {
    const { resourceFromAttributes } = await import("@opentelemetry/resources");
    return {
      collector: await connectOtlp(this.#kind.signal, this.#options),
      resource: resourceFromAttributes(this.#options.resourceAttributes),
    };
  }
}

/** Sends finished spans. */
export class OtlpExporter extends OtlpQueue<SpanRecord, "traces"> {
  constructor(options: OtlpExporterOptions) {
    super(options, { signal: "traces", failure: "spans cannot be exported", encode: toExportedSpan });
  }
}
