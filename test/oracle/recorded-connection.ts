import { type Content, modelContent, textOf } from "#kit/events/content.ts";
import type { BaseLlmConnection, ConnectOptions, RealtimeInput } from "#kit/models/base-llm-connection.ts";
import type { LlmResponse } from "#kit/models/llm-response.ts";

/** The live connection of the recordings' model: it answers each text with the same, in two parts and then as a whole. */
export class RecordedConnection implements BaseLlmConnection {
  readonly #waiting: LlmResponse[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  constructor({ signal }: Pick<ConnectOptions, "signal">) {
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  async sendHistory(): Promise<void> {}

  async sendContent(content: Content): Promise<void> {
    const response = content.parts?.find(({ functionResponse }) => functionResponse !== undefined)?.functionResponse;
    const text = response === undefined ? textOf(content) : `tool said ${JSON.stringify(response.response)}`;
    const [, city] = /^call: (.*)$/.exec(text) ?? [];
    if (city !== undefined) {
      const functionCall = { id: "live-call-1", name: "get_weather", args: { city } };
      return this.#add({ content: { role: "model", parts: [{ functionCall }] } });
    }
    this.#add(
      { content: modelContent("live: "), partial: true },
      { content: modelContent(text), partial: true },
      { content: modelContent(`live: ${text}`) },
      { turnComplete: true },
    );
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    if (!("blob" in input)) return;
    const { mimeType, data = "" } = input.blob;
    const bytes = Buffer.from(data, "base64").length;
    this.#add({ content: modelContent(`blob ${mimeType} ${bytes}`) }, { turnComplete: true });
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
