import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { answer } from "#test/helpers/worlds/pay-world.ts";
import { readAll, SCENARIOS } from "./scenarios.ts";

/**
 * The client under test of the conformance suite, which starts it with a server's address: an agent with the kit's
 * toolset, whose scripted model calls what the scenario needs, and a user who accepts every question.
 */
const url = process.argv.at(-1) ?? "";
const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const data = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");
const scenario = SCENARIOS[name];
if (scenario === undefined) throw new Error(`There is no scenario "${name}".`);

const toolset = new McpToolset({
  connectionParams: { kind: "streamable-http", url },
  // The scenario counts every request of its server, and a call that is repeated makes two.
  ...(name === "elicitation-sep1034-client-defaults" && { elicitationCallback: () => ({ action: "accept" }) }),
});
const model = new ScriptedModel(
  [
    ({ functionDeclarations }) => {
      const parts = scenario(functionDeclarations, data).map(({ name: tool, args }, index) => ({
        functionCall: { id: `call-${index}`, name: tool, args },
      }));
      return parts.length === 0 ? "Nothing to call." : { content: { role: "model", parts } };
    },
    "Done.",
  ],
  { repeatLast: true },
);
const world = await createAgentWorld(new LlmAgent({ name: "client", model, tools: [toolset] }));
let events = await world.run("Begin.");
for (let questions = asked(events); questions.length > 0; questions = asked(events)) {
  const parts = questions.flatMap(
    (call) => answer(call, { action: "accept", content: {} }, "adk_request_input").parts ?? [],
  );
  events = await world.run({ role: "user", parts });
}
if (name === "http-standard-headers") await readAll(toolset, new ReadonlyContext(createInvocation()));
await world.runner.close();

function asked(found: readonly Event[]) {
  return found.flatMap(functionCalls).filter((call) => call.name === "adk_request_input");
}
