import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { CliProcess } from "#tooling/processes/cli-process.ts";

const AGENT = `import { FunctionTool, LlmAgent } from "fairlead/kit";
import { ScriptedModel, functionCallResponse } from "fairlead/kit/testing";

const roll = new FunctionTool({ name: "roll", description: "Rolls a die.", execute: (_args, { state }) => {
  state.set("last", 4);
  return { result: 4 };
} });
const model = new ScriptedModel([functionCallResponse("roll", {}, "c1"), "It is 4."]);
export const rootAgent = new LlmAgent({ name: "dice", model, tools: [roll] });
`;

it("serves an agent and a tool written with the kit over HTTP, and keeps what they did in the session", async () => {
  verifies("what-the-service-does:parts");
  const folder = agentsFolder({ "dice/agent.ts": AGENT });
  await using server = new CliProcess(["serve", folder.path, "--port", "0"], {
    environment: {
      SESSION_STORE: "memory",
      ARTIFACT_STORE: "memory",
      MEMORY_STORE: "memory",
      EVAL_STORE: "memory",
      CREDENTIAL_STORE: "memory",
      DEV_UI: "false",
    },
  });
  const url = (await server.until(/http:\/\/127\.0\.0\.1:\d+/))[0];
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await post("/apps/dice/users/ada/sessions/talk", {});
  const newMessage = { role: "user", parts: [{ text: "roll" }] };
  const events = await (await post("/run", { appName: "dice", userId: "ada", sessionId: "talk", newMessage })).json();
  expect(events).toMatchObject([
    { content: { parts: [{ functionCall: { name: "roll" } }] } },
    { content: { parts: [{ functionResponse: { name: "roll", response: { result: 4 } } }] } },
    { content: { parts: [{ text: "It is 4." }] } },
  ]);
  expect(await (await fetch(`${url}/apps/dice/users/ada/sessions/talk`)).json()).toMatchObject({ state: { last: 4 } });
});
