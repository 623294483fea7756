import { setTimeout } from "node:timers/promises";
import { type BaseLlm, FunctionTool, LlmAgent, type LlmResponse } from "fairlead/kit";
import { z } from "zod";

const PAGES = 6;
const STEP_MS = 300;
const WORD_MS = 60;
const CLOSING = "The book is bound. All six pages are in it, in their order, and none of them is in it twice.";

const printPage = new FunctionTool({
  name: "print_page",
  description: "Prints a page.",
  parameters: z.object({ page: z.number() }),
  execute: async ({ page }) => {
    await setTimeout(STEP_MS);
    // Everything outside happens here. The line is in the server's log, so that the demonstration can count the effects.
    process.stderr.write(`printed page ${page}\n`);
    return { printed: page };
  },
});

/** A script in place of a model: it calls the tool for one page after the other, then answers word by word. */
const script: BaseLlm = {
  model: "script",
  async *generateContentAsync({ contents }, { stream }): AsyncIterable<LlmResponse> {
    const printed = contents.flatMap(({ parts = [] }) => parts).filter((part) => part.functionResponse).length;
    if (printed < PAGES) {
      yield {
        content: { role: "model", parts: [{ functionCall: { name: "print_page", args: { page: printed + 1 } } }] },
      };
      return;
    }
    for (const word of CLOSING.split(/(?<= )/)) {
      await setTimeout(WORD_MS);
      if (stream) yield { content: { role: "model", parts: [{ text: word }] }, partial: true };
    }
    yield { content: { role: "model", parts: [{ text: CLOSING }] } };
  },
};

export const rootAgent = new LlmAgent({
  name: "bookbinder",
  description: "Prints a book.",
  model: script,
  tools: [printPage],
});
