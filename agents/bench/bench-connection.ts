import { type Content, type LlmResponse, modelContent } from "fairlead/kit";
import type { BaseLlmConnection, ConnectOptions, RealtimeInput } from "fairlead/models";

/** Answers each chunk of media with the same media at once, and each turn with `ok`. */
export class BenchConnection implements BaseLlmConnection {
  readonly #waiting: LlmResponse[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor({ signal }: Pick<ConnectOptions, "signal">) {
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  async sendHistory(): Promise<void> {}

  async sendContent(_content: Content): Promise<void> {
    this.#add({ content: modelContent("ok") }, { turnComplete: true });
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    if (!("blob" in input)) return;
    this.#add({ content: { role: "model", parts: [{ inlineData: input.blob }] }, partial: true });
  }

  async *receive(): AsyncGenerator<LlmResponse> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    this.#end();
  }

  #add(...responses: readonly LlmResponse[]): void {
    this.#waiting.push(...responses);
    this.#wake?.();
  }

  #end(): void {
    this.#isClosed = true;
    this.#wake?.();
  }
}
