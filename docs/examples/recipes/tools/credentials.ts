import { createServer } from "node:http";
import { createApp } from "fairlead/adk";
import { AuthenticatedFunctionTool, functionCalls, LlmAgent, Runner, textOf, userContent } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";

// The service that the tool calls, for a user with a key.
const service = createServer((request, response) => {
  response.end(request.headers["x-key"] === "ada's key" ? '{"files":["report.pdf"]}' : "{}");
});
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
const address = service.address();
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/files`;

const listFiles = new AuthenticatedFunctionTool({
  name: "list_files",
  description: "Lists the user's files.",
  authConfig: { authScheme: { type: "apiKey", in: "header", name: "x-key" } },
  execute: async (_args, _context, credential) => {
    const key = "apiKey" in credential ? String(credential.apiKey) : "";
    return (await fetch(url, { headers: { "x-key": key } })).json();
  },
});
const model = new ScriptedModel([functionCallResponse("list_files", {}), "You have report.pdf."]);
const rootAgent = new LlmAgent({ name: "clerk", model, instruction: "Talk about files.", tools: [listFiles] });
const runner = new Runner({ app: createApp({ name: "desk", rootAgent }), runConfig: { autoCreateSession: true } });
const session = { userId: "ada", sessionId: "first" };

let question = "";
for await (const event of runner.runAsync({ ...session, newMessage: userContent("Which files do I have?") }))
  for (const call of functionCalls(event)) {
    if (call.name === "adk_request_credential") question = call.id ?? "";
    console.log(`call of ${call.name}`);
  }

const response = { exchangedAuthCredential: { authType: "apiKey", apiKey: "ada's key" } };
const functionResponse = { id: question, name: "adk_request_credential", response };
for await (const event of runner.runAsync({ ...session, newMessage: { role: "user", parts: [{ functionResponse }] } }))
  if (textOf(event.content) !== "") console.log(`${event.author}: ${textOf(event.content)}`);
service.close();
