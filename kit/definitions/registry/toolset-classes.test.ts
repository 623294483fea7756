import { expect, it } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { ApplicationIntegrationToolset } from "#kit/tools/application-integration/application-integration-toolset.ts";
import { ComputerUseToolset } from "#kit/tools/computer-use/computer-use-toolset.ts";
import { RecordingComputer } from "#test/helpers/recording-computer.ts";
import { verifies } from "#test/helpers/verifies.ts";
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

it.each<JsonObject>([
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
  [{ startUrl: "" }, "startUrl must be"],
  [{ searchUrl: "" }, "searchUrl must be"],
  [{ executablePath: "/bin/sh" }, 'there is no "executablePath"'],
  [{ allowedHosts: ["localhost"] }, 'there is no "allowedHosts"'],
  [{ maxScreenshots: 0 }, "maxScreenshots must be an integer of at least 1"],
])("a definition with %j is refused", async (args, message) => {
  await expect(load(args)).rejects.toThrow(message);
});

const KEY = '{"type":"service_account"}';
const PLACE = { project: "acme", location: "us-central1", service_account_json: "key" };

async function loadIntegration(args: JsonObject, name = "ApplicationIntegrationToolset"): Promise<unknown> {
  const text = `name: clerk\nmodel: demo/chat\ninstruction: x\ntools:\n  - name: ${name}\n    args: ${JSON.stringify(args)}\n`;
  const folder = agentsFolder({ "clerk/root_agent.yaml": text });
  const registry = new ComponentRegistry(componentRegistry);
  registry.instances.register("key", KEY).register("plain", {});
  const { rootAgent } = (await new ConfigAgentLoader(folder.path, false, { registry }).loadAgent("clerk")).app;
  return rootAgent instanceof LlmAgent ? rootAgent.tools[0] : undefined;
}

it.each([
  [{ ...PLACE, integration: "orders", triggers: ["api_trigger/order"], tool_instructions: "Be careful." }],
  [{ ...PLACE, connection: "tickets", entity_operations: { "My Issues": ["list"] }, actions: ["close"], timeout: 90 }],
  [{ ...PLACE, connection: "tickets", actions: ["close"], tool_filter: ["close"], tool_name_prefix: "t" }],
])("a definition has tools of Application Integration: %j", async (args) => {
  verifies("definitions:additional-provider:application-integration");
  expect(await loadIntegration(args)).toBeInstanceOf(ApplicationIntegrationToolset);
  expect(await loadIntegration(args, "google.adk.tools.ApplicationIntegrationToolset")).toBeInstanceOf(
    ApplicationIntegrationToolset,
  );
});

it.each([
  [{}, '"project", "location" and "serviceAccountJson" are required'],
  [{ ...PLACE }, "`integration` or `connection` must be given"],
  [{ ...PLACE, connection: "tickets" }, "`connection` needs `entityOperations`, `actions` or both"],
  [{ ...PLACE, integration: "a/b" }, "`integration` must be the name of a resource"],
  [{ ...PLACE, integration: "a", service_account_json: "plain" }, '"serviceAccountJson" names an instance'],
  [{ ...PLACE, connection: "t", entity_operations: { Issues: "list" } }, '"entityOperations.Issues" should be a list'],
  [{ ...PLACE, connection: "t", entity_operations: ["list"] }, '"entityOperations" should be a map'],
  [{ ...PLACE, integration: "a", timeout: -1 }, "`timeoutMs` must be a whole number"],
  [{ ...PLACE, integration: "a", oauth: 1 }, 'there is no "oauth"'],
])("refuses %j, at its line and column", async (args, problem) => {
  const error = await loadIntegration(args).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain(problem);
  expect(error).toMatchObject({ problems: [{ file: "clerk/root_agent.yaml", line: 6, column: 5 }] });
});

it("does not quote a key that stands in a definition", async () => {
  const error = await loadIntegration({ ...PLACE, integration: "a", service_account_json: KEY }).catch(
    (thrown: unknown) => thrown,
  );
  expect(String(error)).toContain("the key itself does not stand in a definition");
  expect(String(error)).not.toContain('service_account"');
});
