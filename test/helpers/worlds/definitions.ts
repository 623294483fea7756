import { expect } from "vitest";
import { ConfigAgentLoader } from "#kit/definitions/loaders/config-agent-loader.ts";
import { ComponentRegistry } from "#kit/definitions/registry/component-registry.ts";
import { registerCoreComponents } from "#kit/definitions/registry/core-components.ts";
import { DefinitionException } from "#kit/definitions/yaml/definition-problem.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { FunctionTool } from "#kit/tools/function-tool.ts";
import { agentsFolder } from "./agents-folder.ts";

export const LLM = "name: root\nmodel: demo/chat\ninstruction: Answer.\n";
export const callback = () => undefined;
export const tool = new FunctionTool({
  name: "add",
  description: "Adds.",
  parameters: { type: "object" },
  execute: () => 3,
});

export const fakeModel = new ScriptedModel(["So."], { model: "fake" });
export const citySchema = { type: "object", properties: { city: { type: "string" } } };

/** The kit's components, and one of each kind to refer to. */
export function registry(): ComponentRegistry {
  const components = registerCoreComponents(new ComponentRegistry());
  components.callbacks.register("check", callback);
  components.toolInstances.register("add", tool);
  components.instances.register("maker", () => new LlmAgent({ name: "made" }));
  components.instances.register("number", 7).register("fake", fakeModel).register("city", citySchema);
  return components;
}

/** The app `shop` with these files. */
export async function loadApp(files: Record<string, string>, components = registry()) {
  const folder = agentsFolder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`shop/${name}`, text])));
  const loaded = await new ConfigAgentLoader(folder.path, false, { registry: components }).loadAgent("shop");
  return loaded.app;
}

/** Its root agent. */
export async function load(files: Record<string, string>, components = registry()) {
  return (await loadApp(files, components)).rootAgent;
}

/** The problems as file:line:column text. */
export async function problemsOf(files: Record<string, string>, components = registry()): Promise<readonly string[]> {
  const error: unknown = await load(files, components).catch((thrown: unknown) => thrown);
  if (!(error instanceof DefinitionException)) throw new Error("The files were accepted.", { cause: error });
  expect(error.reason).toBe("CONFIGURATION");
  return error.message.split("\n");
}
