import { expect, it } from "vitest";
import { RemoteA2AAgent } from "#kit/a2a/remote/remote-a2a-agent.ts";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";

async function load(agentCard: string): Promise<unknown> {
  const text = `agentClass: RemoteA2AAgent\nname: primes\nagentCard: ${JSON.stringify(agentCard)}\n`;
  const folder = agentsFolder({ "primes/root_agent.yaml": text });
  return (await new ConfigAgentLoader(folder.path, false).loadAgent("primes")).app.rootAgent;
}

it("a definition names a remote agent by an address", async () => {
  expect(await load("https://primes.example.com")).toBeInstanceOf(RemoteA2AAgent);
});

it.each(["card.json", "/etc/passwd", "../secrets.json", "file:///etc/passwd", " https://a.example"])(
  "a definition cannot have the server read the file %j",
  async (path) => {
    await expect(load(path)).rejects.toThrow(/agentCard/);
  },
);
