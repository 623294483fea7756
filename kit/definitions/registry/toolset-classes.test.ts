import { expect, it } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { ComputerUseToolset } from "#kit/tools/computer-use/computer-use-toolset.ts";
import { RecordingComputer } from "#test/helpers/recording-computer.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { ComponentRegistry } from "./component-registry.ts";
import { componentRegistry } from "./core-components.ts";

async function load(args: JsonObject): Promise<unknown> {
  const text = `name: clerk\nmodel: demo/chat\ninstruction: x\ntools:\n  - name: ComputerUseToolset\n    args: ${JSON.stringify(args)}\n`;
  const folder = agentsFolder({ "clerk/root_agent.yaml": text });
  const registry = new ComponentRegistry(componentRegistry);
  registry.instances.register("desk", new RecordingComputer()).register("plain", {});
  const { rootAgent } = (await new ConfigAgentLoader(folder.path, false, { registry }).loadAgent("clerk")).app;
  return rootAgent instanceof LlmAgent ? rootAgent.tools[0] : undefined;
}

it.each([
  {},
  { screenSize: [800, 600], startUrl: "https://example.com", searchUrl: "https://example.com" },
  { computer: "desk", excluded_predefined_functions: ["search"], maxScreenshots: 1, anyModel: true },
])("a definition has a computer-use toolset: %j", async (args) => {
  expect(await load(args)).toBeInstanceOf(ComputerUseToolset);
});

it.each([
  [{ computer: "laptop" }, 'no computer "laptop" is registered'],
  [{ computer: "plain" }, 'no computer "plain" is registered'],
  [{ computer: "desk", startUrl: "https://example.com" }, '"computer" has its own screenSize'],
  [{ screenSize: [800] }, "screenSize must be a width and a height"],
  [{ executablePath: "/bin/sh" }, 'there is no "executablePath"'],
  [{ allowedHosts: ["localhost"] }, 'there is no "allowedHosts"'],
  [{ maxScreenshots: 0 }, "maxScreenshots must be an integer of at least 1"],
])("a definition with %j is refused", async (args, message) => {
  await expect(load(args)).rejects.toThrow(message);
});
