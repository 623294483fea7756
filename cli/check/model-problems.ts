import type { BaseAgent } from "#kit/core/base-agent.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type BaseLlmAgent, isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { announcedShutdowns } from "#kit/models/registry/model-shutdowns.ts";
import type { AgentProblem } from "./find-source.ts";

/** A model that does not exist or is shut down, or whose package or key is missing. `now` is in milliseconds. */
export function modelProblems(agent: BaseAgent, now: number): readonly AgentProblem[] {
  if (!isLlmAgent(agent)) return [];
  const source = { agent: agent.name, text: nameOf(agent.model), isWord: true };
  try {
    const model = agent.resolveModel();
    return [...shutdownProblems(agent, model, now), ...configurationProblems(model, source)];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return [{ level: "error", message: error.message, source }];
  }
}

function configurationProblems(model: BaseLlm, source: AgentProblem["source"]): readonly AgentProblem[] {
  try {
    model.assertConfigured?.();
    return [];
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const level = error.reason === "MODEL_KEY_MISSING" ? "warning" : "error";
    return [{ level, message: error.message, ...(source !== undefined && { source }) }];
  }
}

/** The name of a model that is shut down can be replaced where it is written after `model`. */
function shutdownProblems({ name }: BaseLlmAgent, model: BaseLlm, now: number): readonly AgentProblem[] {
  return announcedShutdowns([model], now).map(({ model: from, successor, isOver, warning }) => ({
    level: "warning",
    message: warning,
    source: { agent: name, text: from, isWord: true },
    ...(isOver && { repair: { from, to: successor, after: /\bmodel\b/i } }),
  }));
}

function nameOf(model: BaseLlmAgent["model"]): string | undefined {
  return typeof model === "string" ? model : model?.model;
}
