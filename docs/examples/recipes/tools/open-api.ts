import { createServer as createApi } from "node:http";
import { createClient } from "fairlead/client";
import { LlmAgent, OpenApiToolset } from "fairlead/kit";
import { functionCallResponse, ScriptedModel } from "fairlead/kit/testing";
import { createServer } from "fairlead/server";

const api = createApi((request, response) => {
  console.log(`${request.method} ${request.url}`);
  response.setHeader("content-type", "application/json").end('{"name":"Rex","kind":"dog"}');
});
await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
const address = api.address();

const spec = `
openapi: 3.1.0
servers: [{ url: "http://127.0.0.1:${typeof address === "object" ? address?.port : ""}" }]
paths:
  /pets/{id}:
    get:
      operationId: getPet
      description: Returns a pet.
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
`;
const model = new ScriptedModel([functionCallResponse("get_pet", { id: "7" }), "Pet 7 is Rex, a dog."]);
const rootAgent = new LlmAgent({
  name: "keeper",
  model,
  instruction: "Answer questions about pets.",
  tools: [new OpenApiToolset({ spec })],
});
// The API is on this machine, whose addresses are refused to tools unless the server names them.
await using server = await createServer({ agents: [rootAgent], config: { OUTBOUND_ALLOWED_HOSTS: ["127.0.0.1"] } });
const client = createClient({ baseUrl: await server.listen({ port: 0 }) });

const session = await client.sessions.create({ appName: "keeper", userId: "ada" });
const { text } = await client.run({ session, newMessage: "Who is pet 7?" });
console.log(text);
api.close();
