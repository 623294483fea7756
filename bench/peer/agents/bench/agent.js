import { BaseLlm, LlmAgent } from "@google/adk";

/** The same model as agents/bench: it obeys words in the user's text. */
class BenchModel extends BaseLlm {
  constructor() {
    super({ model: "bench" });
  }

  async *generateContentAsync(request, stream) {
    const user = request.contents.findLast((content) => content.role === "user" && content.parts?.[0]?.text !== undefined);
    const words = Object.fromEntries((user?.parts[0].text ?? "").split(/\s+/).map((word) => word.split("=")));
    const count = Number(words.n ?? 1);
    const pauseMs = Number(words.d ?? 0);
    const chunk = "x".repeat(Number(words.s ?? 20));
    if (stream && words.n !== undefined) {
      for (let index = 0; index < count; index += 1) {
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        yield { content: { role: "model", parts: [{ text: chunk }] }, partial: true };
      }
      yield { content: { role: "model", parts: [{ text: words.brief === "1" ? "ok" : chunk.repeat(count) }] } };
      return;
    }
    yield { content: { role: "model", parts: [{ text: chunk }] } };
  }

  async connect() {
    throw new Error("not offered");
  }
}

export const rootAgent = new LlmAgent({ name: "bench", model: new BenchModel(), instruction: "Obey the words." });
