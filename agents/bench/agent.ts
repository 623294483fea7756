import { type BaseLlm, type GenerateOptions, LlmAgent, type LlmRequest, type LlmResponse, modelContent } from "agentplane/kit";
import { pause } from "./pause.ts";

/** What the user's text may ask for, as words such as `n=100 s=20`. */
interface Words {
  /** Pieces of a streamed answer. */
  readonly n: number;
  /** Pause before each piece, in ms. */
  readonly d: number;
  /** Characters in each piece. */
  readonly s: number;
  /** Complete answers to add in one turn, each an event. */
  readonly fill: number;
}

const DEFAULTS: Words = { n: 1, d: 0, s: 20, fill: 0 };

/** A model that costs next to nothing and does what the newest message says, to measure everything around it. */
class BenchModel implements BaseLlm {
  readonly model = "bench";

  async *generateContentAsync(request: LlmRequest, { stream, signal }: GenerateOptions): AsyncGenerator<LlmResponse> {
    const words = readWords(request.contents.at(-1)?.parts?.[0]?.text ?? "");
    for (let index = 1; index < words.fill; index += 1) yield { content: modelContent("filled") };
    const piece: LlmResponse = { content: modelContent("x".repeat(words.s)), partial: true };
    for (let index = 0; index < words.n; index += 1) {
      if (words.d > 0) await pause(words.d, signal);
      if (stream && words.n > 1) yield piece;
    }
    yield { content: modelContent("x".repeat(words.s * words.n)) };
  }
}

function readWords(text: string): Words {
  const words: Record<string, number> = { ...DEFAULTS };
  for (const word of text.split(" ")) {
    const at = word.indexOf("=");
    if (at > 0) words[word.slice(0, at)] = Number(word.slice(at + 1));
  }
  return { n: words["n"] ?? 1, d: words["d"] ?? 0, s: words["s"] ?? 1, fill: words["fill"] ?? 0 };
}

export const rootAgent = new LlmAgent({
  name: "bench",
  description: "Answers as the words of the message say: n= pieces, d= ms between them, s= characters each, fill= events.",
  model: new BenchModel(),
});
