import { type Template, testHead } from "./template.ts";

/** An agent that is measured. */
export const EVALUATION: Template = {
  about: "An agent that tells where parcels are, and an evaluation set that measures how well it does.",
  firstMessage: "Where is parcel 17?",
  then: "the agent calls its tool `track_parcel`",
  sections: `## Measuring

\`npm run eval\` lets the agent answer the conversations of its evaluation set, and scores the calls and the answers by the metrics of
\`test_config.json\`. With a real model, measure how far chance goes, and compare with a former version:

\`\`\`bash
npm run --silent eval -- --repeat 10 --json > baseline.json
npm run eval -- --repeat 10 --baseline baseline.json    # fails only for a drop that is too large to be chance
npm run eval -- --junit report.xml                      # for continuous integration
\`\`\`

A conversation of the developer UI becomes a case on its tab Eval. \`evaluation.test.ts\` does the same in a test; with a real model it
needs the model's key.

`,
  files: (name) => ({
    "agent.ts": `import { LlmAgent } from "fairlead/kit";
import { trackParcel } from "./track-parcel.ts";

export const rootAgent = new LlmAgent({
  name: "${name}",
  description: "Tells where parcels are.",
  model: "demo/chat",
  instruction: "You tell where parcels are. Call track_parcel with the number of the parcel, then answer in one sentence.",
  tools: [trackParcel],
});
`,
    "track-parcel.ts": `import { FunctionTool } from "fairlead/kit";
import { z } from "zod";

const PLACES = ["in the depot", "on its way", "at your neighbour's", "delivered"] as const;

export const trackParcel = new FunctionTool({
  name: "track_parcel",
  description: "Tells where a parcel is.",
  parameters: z.object({ number: z.number().int().min(1).describe("Number of the parcel.") }),
  execute: ({ number }) => ({ report: \`Parcel \${number} is \${PLACES[number % PLACES.length]}.\` }),
});
`,
    "agent.test.ts": `${testHead(name, { kit: "functionResponses, Runner, userContent", testing: "functionCallResponse, ScriptedModel" })}
it("tracks the parcel that the model asks for", async () => {
  const model = new ScriptedModel([functionCallResponse("track_parcel", { number: 18 }), "It is at your neighbour's."]);
  const send = await converse(model);

  const events = await send(userContent("Where is parcel 18?"));

  const [result] = events.flatMap(functionResponses);
  expect(result?.response).toEqual({ report: "Parcel 18 is at your neighbour's." });
});
`,
    "evaluation.test.ts": `import { readFile } from "node:fs/promises";
import { evaluate, parseEvalConfig, parseEvalSetFile } from "fairlead/evaluation";
import { expect, it } from "vitest";
import { rootAgent } from "./agent.ts";

async function read(file: string): Promise<string> {
  return readFile(new URL(file, import.meta.url), "utf8");
}

it("passes its evaluation set", async () => {
  const set = parseEvalSetFile(await read("conversations.evalset.json"), "conversations.evalset.json");
  const config = parseEvalConfig(JSON.parse(await read("test_config.json")));

  const { evalCaseResults } = await evaluate(rootAgent, set, config);

  // 1 is "passed"; a result names the metrics that were not reached.
  expect(evalCaseResults.filter(({ finalEvalStatus }) => finalEvalStatus !== 1)).toEqual([]);
  expect(evalCaseResults).toHaveLength(set.evalCases.length);
});
`,
  }),
  cases: [
    {
      id: "on_its_way",
      message: "Where is parcel 17?",
      calls: [{ name: "track_parcel", args: { number: 17 } }],
      answer: "Here is what I found. Parcel 17 is on its way.",
    },
    {
      id: "at_the_neighbours",
      message: "Track parcel 18, please",
      calls: [{ name: "track_parcel", args: { number: 18 } }],
      answer: "Here is what I found. Parcel 18 is at your neighbour's.",
    },
    {
      id: "delivered",
      message: "Where is parcel 3?",
      calls: [{ name: "track_parcel", args: { number: 3 } }],
      answer: "Here is what I found. Parcel 3 is delivered.",
    },
  ],
};
