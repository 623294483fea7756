import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import type { RunOutcome } from "#kit/core/context/run-outcome.ts";
import type { Plugin } from "#kit/core/plugin.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { sleep } from "#kit/platform/sleep.ts";
import { type AnalyticsConfig, type AnalyticsPluginOptions, readAnalyticsOptions } from "./analytics-config.ts";
import { analyticsHooks, ofRun } from "./analytics-hooks.ts";
import { JsonLinesSink } from "./json-lines-sink.ts";
import { type AnalyticsSink, type LossCounts, NOTHING_LOST, RowQueue } from "./row-queue.ts";
import { RowRecorder } from "./row-recorder.ts";

/** `PluginManager` gives up a plugin that closes later than this after its own limit. */
const CLOSE_MARGIN_MS = 1000;

/** Rows that were written, and rows and contents that were lost, by reason. */
export interface AnalyticsCounts extends Readonly<LossCounts> {
  readonly written: number;
  /** Contents that could not be uploaded; their rows were written without them. */
  readonly offload_error: number;
}

/**
 * Records what runs do as rows, for analyses: messages, model calls with their tokens and times, tool calls, questions to
 * users. Rows have the columns and kinds of ADK's analytics plugin. They go to files of JSON lines or to a sink, such as
 * BigQuery's (`openBigQueryAgentAnalyticsPlugin` of `fairlead/stores`), in batches; a run never waits for them and never fails because of them. What is lost is counted and logged.
 *
 * Rows contain what users and models have said. Values of keys such as `password` and `access_token` are replaced.
 * The constructor throws `INVALID_FIELD` for a wrong option.
 *
 * @example
 * ```ts
 * import { App, LlmAgent } from "fairlead/kit";
 * import { AnalyticsPlugin } from "fairlead/plugins";
 *
 * const rootAgent = new LlmAgent({ name: "helper", model: "demo/chat" });
 * const analytics = new AnalyticsPlugin({ directory: "analytics", createViews: true });
 *
 * export const app = new App({ name: "shop", rootAgent, plugins: [analytics] });
 * ```
 */
export class AnalyticsPlugin implements Plugin {
  readonly name: string;
  readonly isObserver = true;
  readonly closeTimeoutMs: number;
  readonly #recording: Recording | undefined;

  constructor(options: AnalyticsPluginOptions) {
    const config = readAnalyticsOptions(options);
    this.name = config.name;
    this.closeTimeoutMs = config.shutdownTimeout + CLOSE_MARGIN_MS;
    if (!config.enabled) return;
    this.#recording = new Recording(config);
    // Hooks that record nothing are absent, so that they cost nothing.
    Object.assign(this, this.#recording.hooks);
  }

  get counts(): AnalyticsCounts {
    return this.#recording?.counts ?? { ...NOTHING_LOST, written: 0, offload_error: 0 };
  }

  /** Writes all rows that wait. Never rejects. */
  async flush(): Promise<void> {
    await this.#recording?.queue.flush();
  }

  /** Writes what waits, within `shutdownTimeout`; rows of later events are lost and counted. */
  async close(): Promise<void> {
    await this.#recording?.queue.close();
  }
}

class Recording {
  readonly queue: RowQueue;
  readonly #sink: AnalyticsSink;
  readonly #recorder: RowRecorder;

  constructor(config: AnalyticsConfig) {
    this.#sink = sinkOf(config);
    this.queue = new RowQueue({ ...config, sink: this.#sink, sleep: config.sleep ?? sleep });
    this.#recorder = new RowRecorder(config, this.queue);
  }

  get hooks(): Omit<Plugin, "name"> {
    const afterRunCallback = (context: InvocationContext, outcome?: RunOutcome): void => {
      this.#recorder.record("INVOCATION_COMPLETED", ofRun(context), () => ({
        totalMs: context.span.elapsedMs,
        error: outcome?.error?.message,
        attributes: { run_status: outcome?.status },
      }));
      this.#recorder.endRun(context);
      // The run does not wait for it.
      this.queue.flushSoon();
    };
    return { ...analyticsHooks(this.#recorder), afterRunCallback };
  }

  get counts(): AnalyticsCounts {
    return { ...this.queue.lost, written: this.queue.written, offload_error: this.#sink.lostUploads ?? 0 };
  }
}

function sinkOf(config: AnalyticsConfig): AnalyticsSink {
  const { sink, directory = "", createViews, maxFiles } = config;
  const viewPrefix = createViews ? config.viewPrefix : undefined;
  return sink ?? new JsonLinesSink({ ...config, directory, viewPrefix, maxFiles, clock: systemClock });
}
