import { setTimeout } from "node:timers/promises";
import { type BaseLlm, type GenerateOptions, LlmAgent, type LlmRequest, type LlmResponse } from "fairlead/kit";

/**
 * Repeats the message. To "hang" it answers one chunk and then waits until it is aborted; to "slow 60" it counts from 0 in
 * so many chunks.
 */
const echo: BaseLlm = {
  model: "echo",
  async *generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const text = request.contents.at(-1)?.parts?.[0]?.text ?? "";
    const content = (answer: string) => ({ role: "model", parts: [{ text: answer }] });
    const [, count] = /^slow (\d{1,3})$/.exec(text) ?? [];
    if (count !== undefined) {
      const words = Array.from({ length: Number(count) }, (_, index) => `${index} `);
      for (const word of words) {
        await setTimeout(50, undefined, { ref: false });
        if (stream) yield { content: content(word), partial: true };
      }
      yield { content: content(words.join("")) };
      return;
    }
    if (stream) yield { content: content("You said"), partial: true };
    if (text === "hang")
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    // The timer does not keep the process alive, as a model's wait does not.
    await setTimeout(1, undefined, { ref: false });
    const rest = `: ${text} (${request.contents.length})`;
    if (stream) yield { content: content(rest), partial: true };
    yield { content: content(`You said${rest}`) };
  },
};

export const rootAgent = new LlmAgent({ name: "echo", description: "Says what it hears.", model: echo });
