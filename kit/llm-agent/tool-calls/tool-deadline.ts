import type { BaseTool } from "#kit/core/base-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** The time limit of one call. When the time is over, the call's signal is aborted and `exceeded` rejects. */
export class ToolDeadline {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #exceeded = Promise.withResolvers<never>();
  readonly #tool: BaseTool;
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(tool: BaseTool, timeoutMs: number, parent: AbortSignal) {
    this.#tool = tool;
    this.#timeoutMs = timeoutMs;
    this.signal = AbortSignal.any([parent, this.#controller.signal]);
  }

  /** Rejects when the time is over. The time starts with the first call of this method. */
  exceeded(): Promise<never> {
    this.#timer ??= setTimeout(() => this.#end(), this.#timeoutMs);
    return this.#exceeded.promise;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #end(): void {
    const error = new PlatformError(
      "TOOL_TIMED_OUT",
      `The tool ${this.#tool.name} did not answer within ${this.#timeoutMs} ms and was stopped; whether it took effect is unknown.`,
    );
    this.#controller.abort(error);
    this.#exceeded.reject(error);
  }
}
