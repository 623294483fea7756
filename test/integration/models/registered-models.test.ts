import { defaultModelRegistry, OpenAiCompatible } from "fairlead/models";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectoryAgentLoader } from "#kit/definitions/loaders/directory-agent-loader.ts";
import { textOf, userContent } from "#kit/events/content.ts";
import { Runner } from "#kit/runs/runner.ts";
import { answerJson, fixture, startWireServer } from "#test/helpers/servers/wire-server.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

const COMPONENTS = `
import { OpenAiCompatible } from "fairlead/models";
export function registerComponents(registry) {
  registry.instances.register("own_model", new OpenAiCompatible({ model: "three", baseUrl: process.env["THREE_URL"] }));
}
`;

it("runs definitions in YAML with models that the program registered by name, by prefix and as an instance", async () => {
  verifies("authentication:model:registered");
  await using server = await startWireServer(answerJson(fixture("openai/text.json")));
  vi.stubEnv("THREE_URL", server.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = (model: string): OpenAiCompatible =>
    new OpenAiCompatible({ model, baseUrl: server.url, apiKey: "own-key" });
  defaultModelRegistry.register("registered-house", own("one")).register("registered-local/", own);
  const definition = (model: string): string => `name: poet\n${model}\ninstruction: Write.\n`;
  const { path } = agentsFolder({
    "by_name/root_agent.yaml": definition("model: registered-house"),
    "by_prefix/root_agent.yaml": definition("model: registered-local/two"),
    "by_instance/root_agent.yaml": definition("model_code: { name: own_model }"),
    "by_instance/components.mjs": COMPONENTS,
  });
  const loader = new DirectoryAgentLoader({ directory: path });
  const texts: string[] = [];
  for (const name of ["by_name", "by_prefix", "by_instance"]) {
    const { app } = await loader.loadAgent(name);
    const runner = new Runner({ app, runConfig: { autoCreateSession: true } });
    const request = { userId: "ada", sessionId: "s", newMessage: userContent("Write.") };
    for await (const { content } of runner.runAsync(request)) texts.push(textOf(content));
  }
  await loader.close();
  expect(server.requests.map(({ body }) => Object(body).model)).toEqual(["one", "two", "three"]);
  expect(texts).toEqual(Array(3).fill("Paris is sunny."));
});
