import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { componentRegistry } from "#kit/definitions/registry/core-components.ts";
import { functionResponses } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { createOutboundAccess, type OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { stepsOf } from "./page-steps.ts";

const DOCS = join(import.meta.dirname, "..");
const TOOLSETS = ["mcp", "open-api", "application-integration", "computer-use"];
const textOf = (page: string): string => readFileSync(join(DOCS, page), "utf8");

/** The agent of the files, which may name the instances that the pages speak of. */
async function load(files: Readonly<Record<string, string>>): Promise<LlmAgent> {
  const registry = new ComponentRegistry(componentRegistry);
  registry.instances.register("user_headers", () => ({})).register("tickets_key", "{}");
  const folder = agentsFolder(files);
  const { rootAgent } = (await new ConfigAgentLoader(folder.path, false, { registry }).loadAgent("keeper")).app;
  return rootAgent instanceof LlmAgent ? rootAgent : expect.unreachable();
}

describe("the page of each toolset", () => {
  it.each(TOOLSETS)("is in the table of tools and the list of pages: %s", (name) => {
    expect(textOf("tools.md")).toContain(`tools/${name}.md`);
    expect(textOf("README.md")).toContain(`tools/${name}.md`);
  });

  it.each(TOOLSETS)("has an example in YAML that loads: %s", async (name) => {
    const page = textOf(`tools/${name}.md`);
    const files = stepsOf(page).flatMap((step) => (step.kind === "file" ? [[step.path, step.text] as const] : []));
    const [, block = ""] = /^```yaml\n(tools:\n.*?)^```$/ms.exec(page) ?? [];
    const definition = `name: keeper\nmodel: demo/chat\ninstruction: x\n${block}`;
    const own = files.map(([path, text]): [string, string] => [path.slice("agents/".length), text]);
    const agent = await load(own.length > 0 ? Object.fromEntries(own) : { "keeper/root_agent.yaml": definition });
    expect(agent.tools.map((tool) => tool.constructor.name)).toEqual([expect.stringMatching(/Toolset$/)]);
  });

  it("has an example of an HTTP API that runs", async () => {
    const lines: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      lines.push(url);
      response.writeHead(200, { "content-type": "application/json" }).end('{"name":"Tom"}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo;
    await using guard = createOutboundAccess({ allowedHosts: ["127.0.0.1"] });
    const outbound: OutboundAccess = {
      ...guard,
      fetch: (url, init) =>
        guard.fetch(String(url).replace("https://pets.example.com", `http://127.0.0.1:${port}`), init),
    };
    const files = stepsOf(textOf("tools/open-api.md")).flatMap((step) =>
      step.kind === "file" ? [[step.path.slice("agents/".length), step.text] as const] : [],
    );
    const { tools } = await load(Object.fromEntries(files));
    const model = new ScriptedModel([functionCallResponse("pets_get_pet", { id: "7" }), "Tom."]);
    const world = await createAgentWorld(new LlmAgent({ name: "keeper", model, tools }), { outbound });
    const events = await world.run("Who is 7?");
    expect(events.flatMap(functionResponses).map(({ response }) => response)).toEqual([{ name: "Tom" }]);
    expect(lines).toEqual(["/v1/pets/7"]);
  });
});
