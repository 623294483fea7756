import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { type Event, functionCalls } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { McpToolset } from "#kit/tools/mcp/mcp-toolset.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { answer } from "#test/helpers/worlds/pay-world.ts";
import { readAll, scenarioOf } from "./scenarios.ts";
import { contextOf, SignedInUser } from "./signed-in-user.ts";

/**
 * The client under test of the conformance suite, which starts it with a server's address: an agent with the kit's
 * toolset, whose scripted model calls what the scenario needs, and a user who accepts every question and signs in.
 */
/** A server may ask for more scopes after a sign-in, and perhaps without end. */
const MAX_SIGN_INS = 2;
const url = process.argv.at(-1) ?? "";
const name = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const data = contextOf(process.env["MCP_CONFORMANCE_CONTEXT"]);
const scenario = scenarioOf(name);
const user = new SignedInUser(data);
let context = new ReadonlyContext(createInvocation());

const toolset = new McpToolset({
  connectionParams: { kind: "streamable-http", url },
  // The scenarios' servers are on loopback.
  fetch: (input, init) => fetch(input, init),
  ...(name.startsWith("auth/") && {
    authProvider: (used: ReadonlyContext) => {
      context = used;
      return user;
    },
  }),
  // The scenario counts every request of its server, and a call that is repeated makes two.
  ...(name === "elicitation-sep1034-client-defaults" && { elicitationCallback: () => ({ action: "accept" }) }),
});
const model = new ScriptedModel(
  [
    ({ functionDeclarations, contents }) => {
      const isAnswered = contents.at(-1)?.parts?.some(({ functionResponse }) => functionResponse !== undefined);
      const calls = isAnswered === true ? [] : scenario(functionDeclarations, data);
      const parts = calls.map((call, index) => ({ functionCall: { id: `call-${Math.random()}-${index}`, ...call } }));
      return parts.length === 0 ? "Done." : { content: { role: "model", parts } };
    },
  ],
  { repeatLast: true },
);
const world = await createAgentWorld(new LlmAgent({ name: "client", model, tools: [toolset] }));
try {
  for (let signIns = 0; ; signIns += 1) {
    const failure = await runOnce().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const callback = user.takeCallback();
    if (callback === undefined || signIns >= MAX_SIGN_INS) {
      if (failure !== undefined) throw failure.error;
      break;
    }
    await toolset.finishSignIn(callback, context);
  }
  if (name === "http-standard-headers") await readAll(toolset, context);
} finally {
  await world.runner.close();
}

async function runOnce(): Promise<void> {
  let events = await world.run("Begin.");
  for (let questions = asked(events); questions.length > 0; questions = asked(events)) {
    const reply = { action: "accept", content: {} };
    const parts = questions.flatMap((call) => answer(call, reply, "adk_request_input").parts ?? []);
    events = await world.run({ role: "user", parts });
  }
}

function asked(found: readonly Event[]) {
  return found.flatMap(functionCalls).filter((call) => call.name === "adk_request_input");
}
