import { type BaseLlm, type GenerateOptions, type LlmRequest, type LlmResponse, modelContent } from "fairlead/kit";

const CHUNKS = 10;

/** A model that obeys the user's text: `look 8` calls the tool `look` eight times, `stream` answers in ten chunks. */
export class OrderModel implements BaseLlm {
  readonly model = "orders";
  readonly #settled: () => Promise<void>;

  /** `settled` resolves when the last chunk has been published, so that each chunk is published alone. */
  constructor(settled: () => Promise<void>) {
    this.#settled = settled;
  }

  async *generateContentAsync({ contents }: LlmRequest, { stream }: GenerateOptions): AsyncIterable<LlmResponse> {
    const [order = "", count = "1"] = contents.at(-1)?.parts?.[0]?.text?.split(" ") ?? [];
    if (order === "stream" && stream) {
      for (let index = 0; index < CHUNKS; index += 1) {
        yield { content: modelContent("twenty characters.. "), partial: true };
        await this.#settled();
      }
    }
    if (["look", "keep", "pay"].includes(order)) {
      const call = { functionCall: { name: order, args: {} } };
      yield { content: { role: "model", parts: Array.from({ length: Number(count) }, () => call) } };
    } else {
      yield { content: modelContent("an answer of the length of a sentence, as models give it") };
    }
  }
}
