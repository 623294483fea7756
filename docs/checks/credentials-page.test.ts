import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { functionCallResponse, ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { AuthorizationServer } from "#test/helpers/servers/authorization-server.ts";
import { authUriOf, credentialQuestion, outboundTo, uiAnswer } from "#test/helpers/servers/credential-world.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

it("has an example of a function that needs a sign-in, which runs", async () => {
  const page = readFileSync(join(import.meta.dirname, "../tools/credentials.md"), "utf8");
  const [, example = ""] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  await using authorization = await AuthorizationServer.start({ client: { id: "my-client", secret: "of-the-client" } });
  authorization.requiredScope = "files.read";
  await using outbound = outboundTo(authorization);
  const text = example
    .replaceAll("https://auth.example.com", authorization.url)
    .replaceAll("https://files.example.com/v1", `${authorization.url}/api`);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("FILES_CLIENT_SECRET", "of-the-client");
  const directory = agentsFolder({ "clerk/agent.ts": text }).path;
  const loader = new DirectoryAgentLoader({ directory, hotReload: false });
  onTestFinished(() => loader.close());
  const { rootAgent } = (await loader.loadAgent("clerk")).app;
  if (!(rootAgent instanceof LlmAgent)) expect.unreachable();

  const model = new ScriptedModel([functionCallResponse("list_files", {}, "call-1"), "Those are your files."]);
  const agent = new LlmAgent({ name: "clerk", model, tools: rootAgent.tools });
  const world = await createAgentWorld(agent, { outbound, credentialService: new InMemoryCredentialService() });
  const question = credentialQuestion(await world.run("Which files have I?"));
  const answer = uiAnswer(question, await authorization.consent(authUriOf(question)));
  const results = (await world.run(answer)).flatMap(functionResponses).map(({ response }) => response);
  expect(results).toEqual([{ data: "the user's files" }]);
  expect(authorization.apiCalls).toEqual([expect.stringMatching(/^Bearer SECRET-access/)]);
});
