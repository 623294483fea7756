import { AgentOrigin, type BaseAgent } from "#kit/core/base-agent.ts";
import { BaseTool, ToolOrigin } from "#kit/core/base-tool.ts";
import type { InvocationContext, InvocationServices } from "#kit/core/context/invocation-context.ts";
import { PastTurn } from "#kit/core/context/past-turn.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { PluginManager } from "#kit/core/plugin-manager.ts";
import { toolBranch } from "#kit/events/branch.ts";
import { isLlmAgent } from "#kit/llm-agent/base/base-llm-agent.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import type { Schema } from "#kit/schema/schema.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { type Content, userContent } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import type { FunctionDeclaration } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";
import { AgentToolAnswer } from "./agent-tool-answer.ts";

/**
 * The agent's view of the session's state. SHARED: the state itself. READ_ONLY: a copy, whose changes are lost after
 * the call. ISOLATED: initially empty, and changes are lost after the call.
 */
export const AgentToolState = { SHARED: "SHARED", READ_ONLY: "READ_ONLY", ISOLATED: "ISOLATED" } as const;
export type AgentToolState = (typeof AgentToolState)[keyof typeof AgentToolState];

/**
 * SHARED: the session's artifacts. ISOLATED: initially none, and those that the agent saves are lost after the call.
 */
export const AgentToolArtifacts = { SHARED: "SHARED", ISOLATED: "ISOLATED" } as const;
export type AgentToolArtifacts = (typeof AgentToolArtifacts)[keyof typeof AgentToolArtifacts];

/** Options of an `AgentTool`. */
export interface AgentToolOptions {
  /** The agent to call. It is not part of the caller's tree, and is closed with the tool. */
  readonly agent: BaseAgent;
  /** The agent's answer ends the caller's turn; the caller's model does not summarise it. */
  readonly skipSummarization?: boolean;
  /**
   * Whether the app's plugins also apply to the agent; on unless false. Their `onEventCallback` gets its events in any
   * case.
   */
  readonly includePlugins?: boolean;
  readonly state?: AgentToolState;
  readonly artifacts?: AgentToolArtifacts;
  /** Whether clients get partial events of its answers; on unless false. */
  readonly streamChunks?: boolean;
}

/**
 * Lets an agent call another agent. The called agent works on a closed branch of the same session: it sees the call's
 * arguments and its own events, which are stored and streamed like all others, and the caller's model sees only its
 * answer.
 *
 * @example
 * ```ts
 * import { AgentTool, LlmAgent } from "fairlead/kit";
 *
 * const translator = new LlmAgent({ name: "translator", model: "gemini-3.8-flash", instruction: "Translate to French." });
 *
 * export const rootAgent = new LlmAgent({
 *   name: "desk",
 *   model: "gemini-3.8-flash",
 *   instruction: "Answer the user. Use translator for French.",
 *   tools: [new AgentTool({ agent: translator })],
 * });
 * ```
 */
export class AgentTool extends BaseTool {
  readonly agent: BaseAgent;
  readonly #options: AgentToolOptions;
  readonly #input: Schema | undefined;
  readonly #output: Schema | undefined;
  readonly #declaration: FunctionDeclaration;

  constructor(options: AgentToolOptions) {
    const { agent } = options;
    // A call that is executed again continues at the end of its branch; private data is lost with the earlier run.
    const idempotent = !isPrivate(options.state) && options.artifacts !== AgentToolArtifacts.ISOLATED;
    super({ name: agent.name, description: agent.description, idempotent });
    this.agent = agent;
    this.#options = options;
    this.#input = inputSchemaOf(agent);
    this.#output = outputSchemaOf(agent);
    this.#declaration = {
      name: this.name,
      description: this.description,
      parameters: this.#input?.jsonSchema ?? REQUEST_PARAMETERS,
      response: this.#output?.jsonSchema,
    };
  }

  override get toolOrigin(): ToolOrigin {
    return this.agent.toolOrigin === AgentOrigin.A2A ? ToolOrigin.A2A : ToolOrigin.SUB_AGENT;
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  /** Returns the text of the agent's answer, or the value if the agent has an output schema. */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const input = await this.#inputOf(args);
    if (typeof input === "string") {
      return { error: `Wrong arguments for ${this.name}: ${input}. Call it again with corrected arguments.` };
    }
    const invocation = this.#invocationFor(input, context);
    using _ = invocation.history.makeRoom(1);
    const answer = new AgentToolAnswer(this.agent, this.#output);
    for (const event of invocation.past?.events ?? []) answer.watch(event);
    const { state, artifacts, streamChunks } = this.#options;
    for await (const event of this.agent.runAsync(invocation)) {
      if (event.partial === true) {
        if (streamChunks !== false) await context.emit(event);
        continue;
      }
      const taken = answer.take(event, {
        privateState: isPrivate(state) ? invocation.session.state : undefined,
        privateArtifacts: artifacts === AgentToolArtifacts.ISOLATED,
      });
      if (taken !== undefined) await context.emit(taken);
    }
    for (const refusal of answer.refusals()) await context.emit(invocation.createEvent(refusal));
    if (this.#options.skipSummarization === true) context.actions.skipSummarization = true;
    return answer.result();
  }

  override async close(): Promise<void> {
    await this.agent.close();
  }

  /** The agent's input, or the problem of the arguments. */
  async #inputOf(args: JsonObject): Promise<Content | string> {
    if (this.#input === undefined) {
      const { request } = args;
      return typeof request === "string" ? userContent(request) : "request: must be a text";
    }
    const checked = await checkArguments(this.#input, args);
    return checked.ok ? userContent(JSON.stringify(checked.value)) : checked.problems.join("; ");
  }

  #invocationFor(
    input: Content,
    { invocationContext: caller, functionCallId, signal }: ToolContext,
  ): InvocationContext {
    const { agent } = this;
    const { session, services } = caller;
    const { state } = this.#options;
    const branch = toolBranch(caller.branch, agent.name, functionCallId ?? services.ids.next());
    return caller.forTool({
      agent,
      branch,
      input,
      past: pastOf(branch, caller),
      session: isPrivate(state)
        ? { ...session, state: state === AgentToolState.READ_ONLY ? structuredClone(session.state) : {} }
        : session,
      services: this.#servicesFor(services),
      signal,
    });
  }

  #servicesFor(services: InvocationServices): InvocationServices {
    const { includePlugins, artifacts } = this.#options;
    if (includePlugins !== false && artifacts !== AgentToolArtifacts.ISOLATED) return services;
    return {
      ...services,
      ...(includePlugins === false && { pluginManager: new PluginManager() }),
      ...(artifacts === AgentToolArtifacts.ISOLATED && { artifactService: new InMemoryArtifactService(services) }),
    };
  }
}

const REQUEST_PARAMETERS: JsonObject = {
  type: "object",
  properties: { request: { type: "string", description: "What the agent should do, with all that it has to know." } },
  required: ["request"],
};

/** The events that an earlier run of the same call has stored. */
function pastOf(branch: string, { invocationId, session: { events } }: InvocationContext): PastTurn | undefined {
  const past: Event[] = [];
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event === undefined || event.invocationId !== invocationId) break;
    if (event.branch === branch || event.branch?.startsWith(`${branch}.`) === true) past.push(event);
  }
  return past.length === 0 ? undefined : new PastTurn(past.reverse(), { isInterrupted: () => true });
}

function isPrivate(state: AgentToolState | undefined): boolean {
  return state !== undefined && state !== AgentToolState.SHARED;
}

/** The agent's input schema: the schema of the first LLM agent that gets the input. */
export function inputSchemaOf(agent: BaseAgent): Schema | undefined {
  if (isLlmAgent(agent)) return agent.inputSchema;
  const [first] = agent.subAgents;
  return first === undefined ? undefined : inputSchemaOf(first);
}

/** The agent's output schema: the schema of the last LLM agent. Agents that run in parallel have no last one. */
export function outputSchemaOf(agent: BaseAgent): Schema | undefined {
  if (isLlmAgent(agent)) return agent.outputSchema;
  const last = agent.subAgents.at(-1);
  return last === undefined || agent.kind === "parallel" ? undefined : outputSchemaOf(last);
}
