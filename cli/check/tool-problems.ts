import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type BaseLlmAgent, isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { aiSdkRules } from "#kit/models/wire/provider-rules.ts";
import { ToolNames } from "#kit/models/wire/wire-names.ts";
import type { AgentProblem } from "./find-source.ts";

/** Tools of one name, and names that the model's provider does not take: the model gets others in their place. */
export function toolProblems(agent: BaseAgent): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  const names = agent.tools.flatMap((tool) => ("name" in tool && typeof tool.name === "string" ? [tool.name] : []));
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [
    ...[...repeated].map((name): AgentProblem => {
      const message = `Agent "${agent.name}" has two tools named "${name}": give each its own name.`;
      return { level: "error", message, source: { agent: name } };
    }),
    ...renamedTools(agent, new Set(names)),
  ];
}

function renamedTools(agent: BaseLlmAgent, names: ReadonlySet<string>): readonly AgentProblem[] {
  const model = modelOf(agent);
  const provider = model?.providerName ?? "";
  // The demo model takes any name.
  if (model === undefined || provider === "" || provider.startsWith("fairlead.")) return [];
  const forms = new ToolNames(names, aiSdkRules(provider, model.model).toolName);
  return [...names].flatMap((name) => {
    const sent = forms.toWire(name);
    if (sent === name) return [];
    const message = `The provider of ${model.model} does not take "${name}" as the name of a tool, and the model gets "${sent}": name the tool so.`;
    return [{ level: "warning", message, source: { agent: name } }];
  });
}

function modelOf(agent: BaseLlmAgent): BaseLlm | undefined {
  try {
    return agent.resolveModel();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return undefined;
  }
}
