import { setTimeout } from "node:timers/promises";
import { type BaseLlm, type GenerateOptions, LlmAgent, type LlmRequest, type LlmResponse } from "fairlead/kit";

/** Repeats the message. To "hang" it answers one chunk and then waits until it is aborted. */
const echo: BaseLlm = {
  model: "echo",
  async *generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncIterable<LlmResponse> {
    const text = request.contents.at(-1)?.parts?.[0]?.text ?? "";
    const content = (answer: string) => ({ role: "model", parts: [{ text: answer }] });
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
