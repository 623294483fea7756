import { LoopAgent } from "#kit/agents/loop-agent.ts";
import { ParallelAgent } from "#kit/agents/parallel-agent.ts";
import { SequentialAgent } from "#kit/agents/sequential-agent.ts";
import type { App } from "#kit/core/app.ts";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import { type BaseLlmAgent, isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { findPlaceholders, type Placeholder, readPlaceholder } from "#kit/llm-agent/request/read-placeholder.ts";
import { suggestion } from "#kit/schema/suggest.ts";
import { AgentTool } from "#kit/tools/agent-tool.ts";
import { ExitLoopTool } from "#kit/tools/exit-loop-tool.ts";
import type { AgentProblem } from "./find-source.ts";

/**
 * Warns about placeholders in instructions that nothing in the app fills: a state key that no agent writes, and a prefix
 * that does not exist. Tools, callbacks, plugins and classes of the app's own can write any key: an app that has one gets
 * no warning about keys.
 */
export function instructionProblems(
  { rootAgent, plugins }: App,
  agents: readonly BaseAgent[],
): readonly AgentProblem[] {
  const written = new Set(agents.flatMap((agent) => (isLlmAgent(agent) ? (agent.outputKey ?? []) : [])));
  const isKnown = plugins.length === 0 && agents.every(writesNoOtherKey);
  const problems = agents.flatMap((agent) =>
    placeholdersOf(agent, rootAgent).flatMap(([text, placeholder]): readonly AgentProblem[] => {
      const message = isKnown ? unwrittenKey(agent, placeholder, written) : undefined;
      const source = { agent: agent.name, text };
      if (message !== undefined) return [{ level: "warning", message, source }];
      const right = rightPlaceholder(text, placeholder);
      if (right === undefined) return [];
      const fix = `did you mean ${right}? Write \\${text} for text.`;
      const wrong = `The instruction of agent "${agent.name}" has ${text}, which is not a placeholder: ${fix}`;
      return [{ level: "warning", message: wrong, source, repair: { from: text, to: right } }];
    }),
  );
  return problems;
}

/** Exactly these classes: a class that extends one can write state in its own code. */
const AGENTS: ReadonlySet<unknown> = new Set([LlmAgent, SequentialAgent, ParallelAgent, LoopAgent]);
const TOOLS: ReadonlySet<unknown> = new Set([AgentTool, ExitLoopTool]);

/** Whether the agent writes no state key but its `outputKey`, as far as its class and options show. */
function writesNoOtherKey(agent: BaseAgent): boolean {
  if (!AGENTS.has(agent.constructor)) return false;
  if (agent.beforeAgentCallbacks.length + agent.afterAgentCallbacks.length > 0) return false;
  return !isLlmAgent(agent) || (agent.tools.every((tool) => TOOLS.has(tool.constructor)) && hasNoCode(agent));
}

function hasNoCode(agent: BaseLlmAgent): boolean {
  const callbacks = [
    agent.beforeModelCallbacks,
    agent.afterModelCallbacks,
    agent.onModelErrorCallbacks,
    agent.beforeToolCallbacks,
    agent.afterToolCallbacks,
    agent.onToolErrorCallbacks,
  ];
  return agent.codeExecutor === undefined && callbacks.every((list) => list.length === 0);
}

/** The placeholders of an agent's instructions, each as it is written there. */
function placeholdersOf(agent: BaseAgent, root: BaseAgent): readonly (readonly [string, Placeholder])[] {
  if (!isLlmAgent(agent) || agent.instructionTemplates === InstructionTemplates.OFF) return [];
  // Of global instructions only the root's is used.
  const instructions = [agent.instruction, agent === root ? agent.globalInstruction : undefined];
  return instructions.flatMap((instruction) => {
    if (instruction?.kind !== "static") return [];
    const { text } = instruction;
    return [...findPlaceholders(text)].map(([start, end]) => {
      const written = text.slice(start, end);
      return [written, readPlaceholder(written)] as const;
    });
  });
}

function unwrittenKey({ name }: BaseAgent, placeholder: Placeholder, written: ReadonlySet<string>): string | undefined {
  if (placeholder.kind !== "state" || placeholder.isOptional || written.has(placeholder.key)) return undefined;
  const { key } = placeholder;
  const hint = suggestion(key, written) || ".";
  const fix = `Give an agent the outputKey "${key}", or write {${key}?} if clients set it in the session's state.`;
  return `Agent "${name}" reads {${key}}, a state key that nothing in the app writes${hint} ${fix}`;
}

/** Prefixes that people write for those that exist. */
const PREFIXES: Readonly<Record<string, string>> = {
  "user:": "user:",
  "users:": "user:",
  "usr:": "user:",
  "app:": "app:",
  "apps:": "app:",
  "application:": "app:",
  "temp:": "temp:",
  "tmp:": "temp:",
  "temporary:": "temp:",
  "session:": "",
  "state:": "",
  "artifact:": "artifact.",
  "artifacts:": "artifact.",
  "artifacts.": "artifact.",
};

/** The placeholder that was meant, for one whose prefix does not exist. */
function rightPlaceholder(written: string, { kind }: Placeholder): string | undefined {
  const [, prefix = "", key] = /^\{([a-z]+[:.])([\w.]+\??)\}$/i.exec(written) ?? [];
  const right = Object.hasOwn(PREFIXES, prefix.toLowerCase()) ? PREFIXES[prefix.toLowerCase()] : undefined;
  return kind !== "text" || right === undefined ? undefined : `{${right}${key}}`;
}
