import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { BaseLlmAgent, type LlmAgentOptions } from "./base/base-llm-agent.ts";
import { refuseUnknownOptions } from "./base/check-options.ts";
import { runLiveFlow } from "./live/run-live-flow.ts";
import { runLlmFlow } from "./run-llm-flow.ts";

/** Every option. The compiler reports one that is missing here. */
const OPTIONS: Readonly<Record<keyof LlmAgentOptions, true>> = {
  name: true,
  model: true,
  fallbackModels: true,
  description: true,
  instruction: true,
  staticInstruction: true,
  globalInstruction: true,
  instructionTemplates: true,
  tools: true,
  subAgents: true,
  outputKey: true,
  inputSchema: true,
  outputSchema: true,
  includeContents: true,
  generateContentConfig: true,
  planner: true,
  codeExecutor: true,
  disallowTransferToParent: true,
  disallowTransferToPeers: true,
  maxSteps: true,
  executor: true,
  beforeAgentCallback: true,
  afterAgentCallback: true,
  beforeModelCallback: true,
  afterModelCallback: true,
  onModelErrorCallback: true,
  beforeToolCallback: true,
  afterToolCallback: true,
  onToolErrorCallback: true,
};

/**
 * An agent that runs a model, which may call tools and transfer to other agents.
 *
 * @example
 * ```ts
 * import { LlmAgent } from "fairlead/kit";
 *
 * export const rootAgent = new LlmAgent({
 *   name: "poet",
 *   model: "gemini-3.8-flash",
 *   description: "Writes short poems.",
 *   instruction: "Write a poem of four lines about what the user asks for. The last one was {last_poem?}.",
 *   outputKey: "last_poem",
 * });
 * ```
 */
export class LlmAgent extends BaseLlmAgent {
  /** Throws `INVALID_FIELD` for a value of the wrong kind, and for an option that does not exist. */
  constructor(options: LlmAgentOptions) {
    // A subclass may have options of its own.
    if (new.target === LlmAgent) refuseUnknownOptions(options, Object.keys(OPTIONS));
    super(options);
  }

  protected override runAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLlmFlow(this, context);
  }

  protected override resumeAsyncImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLlmFlow(this, context);
  }

  override assertLive(): void {
    const { connect, model } = this.resolveModel();
    if (connect !== undefined) return;
    throw new PlatformError(
      "LIVE_NOT_SUPPORTED",
      `The model ${model} of the agent "${this.name}" has no live connection: choose a live model, or send messages to /run.`,
    );
  }

  protected override runLiveImpl(context: InvocationContext): AsyncIterable<Event> {
    return runLiveFlow(this, context);
  }
}
