import { BaseLlm, LlmAgent } from "@google/adk";

/** The same model as agents/bench: words in the user's text control it. */
class BenchModel extends BaseLlm {
  constructor() {
    super({ model: "bench" });
  }

  async *generateContentAsync(request, stream) {
    const user = request.contents.findLast((content) => content.role === "user" && content.parts?.[0]?.text !== undefined);
    const words = Object.fromEntries((user?.parts[0].text ?? "").split(/\s+/).map((word) => word.split("=")));
    const events = Number(words.fill ?? 0);
    for (let index = 0; index < events; index += 1) yield answer("ok");
    if (events > 0) return;
    if (words.small === "1") {
      yield answer("ok");
      return;
    }
    const count = Number(words.n ?? 1);
    const pauseMs = Number(words.d ?? 0);
    const chunk = "x".repeat(Number(words.s ?? 20));
    if (!stream && pauseMs > 0) await pause(pauseMs * count);
    for (let index = 0; stream && index < count; index += 1) {
      if (pauseMs > 0) await pause(pauseMs);
      yield { ...answer(chunk), partial: true };
    }
    yield { ...answer(words.brief === "1" ? "ok" : chunk.repeat(count)), finishReason: "STOP" };
  }

  async connect() {
    throw new Error("not offered");
  }
}

function answer(text) {
  return { content: { role: "model", parts: [{ text }] } };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const rootAgent = new LlmAgent({ name: "bench", model: new BenchModel(), instruction: "Obey the words." });
