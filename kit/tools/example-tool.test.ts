import { describe, expect, it } from "vitest";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { ToolContext } from "#kit/core/context/tool-context.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { type Content, modelContent, userContent } from "../events/content.ts";
import { LlmRequest } from "../models/llm-request.ts";
import { ExampleTool } from "./example-tool.ts";
import type { Example } from "./format-examples.ts";

const example: Example = {
  input: userContent("Rain in Rome?"),
  output: [
    { role: "model", parts: [{ functionCall: { name: "rain", args: { city: "Rome", days: 2 } } }] },
    { role: "user", parts: [{ functionResponse: { name: "rain", response: { rain: false } } }] },
    { role: "model", parts: [{ text: "No." }, { text: "Sun." }] },
  ],
};

async function instructionsFor(tool: ExampleTool, said: Content): Promise<string> {
  const request = new LlmRequest<BaseTool>({ model: "m" });
  const invocation = createInvocation();
  const { agent, services, session, signal } = invocation;
  const context = invocation.forTool({ agent, services, session, signal, branch: "b", input: said });
  await tool.processLlmRequest(new ToolContext(context), request);
  expect(request.functionDeclarations).toEqual([]);
  return request.systemInstruction;
}

describe("ExampleTool", () => {
  it("puts examples into the system instructions", async () => {
    verifies("tools:example", "what-the-service-does:kit-example-tool");
    expect(await instructionsFor(new ExampleTool({ examples: [example] }), userContent("Hi"))).toBe(`<EXAMPLES>
Begin few-shot
How earlier questions were answered well, with the tools there are:

EXAMPLE 1:
Begin example
[user]
Rain in Rome?
[model]
\`\`\`tool_code
rain(city='Rome', days=2)
\`\`\`
[user]
\`\`\`tool_outputs
{"rain":false}
\`\`\`
[model]
No.
Sun.
End example

End few-shot
Answer the conversation below in the same way.
</EXAMPLES>`);
  });

  it("asks a provider for examples that fit the user's message", async () => {
    verifies("operations:example-provider:get-examples");
    const asked: string[] = [];
    const getExamples = async (query: string): Promise<readonly Example[]> => {
      asked.push(query);
      return [{ input: userContent("a"), output: [modelContent("b")] }];
    };
    const text = await instructionsFor(new ExampleTool({ examples: { getExamples } }), userContent("What now?"));
    expect(asked).toEqual(["What now?"]);
    expect(text).toContain("[user]\na\n[model]\nb\n");
  });

  it.each([
    ["no examples", [], userContent("Hi")],
    [
      "a message that does not begin with text",
      [example],
      { role: "user", parts: [{ fileData: { fileUri: "f" } }, { text: "Hi" }] },
    ],
  ])("adds nothing for %s", async (_, examples, said) => {
    expect(await instructionsFor(new ExampleTool({ examples }), said)).toBe("");
  });
});
