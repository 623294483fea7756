import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { Content, UsageMetadata } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import type { PromptHistory } from "#kit/history/prompt-history.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { Logger } from "#kit/platform/logger.ts";
import type { Session } from "#kit/sessions/session.ts";
import type { ActiveSpan } from "#kit/telemetry/run-trace.ts";
import type { AgentNode } from "./agent-node.ts";
import { InvocationCosts } from "./invocation-costs.ts";
import type { LiveRequestQueue } from "./live-request-queue.ts";
import { type PastTurn, withMark, withResumption } from "./past-turn.ts";
import type { PluginChains } from "./plugin-chains.ts";
import type { RunConfig } from "./run-config.ts";

/** An agent as those see it that start it. */
export interface RunnableAgent extends AgentNode {
  readonly parentAgent: RunnableAgent | undefined;
  readonly rootAgent: RunnableAgent;
  readonly subAgents: readonly RunnableAgent[];
  findAgent(name: string): RunnableAgent | undefined;
  findSubAgent(name: string): RunnableAgent | undefined;
  runAsync(parent: InvocationContext): AsyncGenerator<Event, void, undefined>;
  runLive(parent: InvocationContext): AsyncGenerator<Event, void, undefined>;
}

/** Keeps a session's history short during one run. Every event of the run is stored when one of these is called. */
export interface HistoryCompactor {
  /** Makes room in the agent's next prompt if it needs room. */
  beforeModelCall(agent: { readonly name: string; resolveModel(): BaseLlm }, context: InvocationContext): Promise<void>;
  /** Whether a summary of whole invocations may be due. */
  isDueAfterRun(context: InvocationContext): boolean;
  /** Summarizes the session's invocations after the run. */
  afterRun(context: InvocationContext): Promise<void>;
}

/** What all agents of one invocation share. */
export interface InvocationServices {
  readonly artifactService?: ArtifactService;
  readonly memoryService?: MemoryService;
  readonly pluginManager: PluginChains;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  /** Put prompt and tool content on spans. Off unless the operator switched it on. */
  readonly captureContent: boolean;
  /** How much of an exception's text stored events, run records and spans contain. */
  readonly errorDetail: ErrorDetail;
}

interface Invocation {
  readonly services: InvocationServices;
  readonly invocationId: string;
  readonly session: Session;
  readonly history: PromptHistory;
  readonly userContent?: Content;
  readonly runConfig: RunConfig;
  readonly signal: AbortSignal;
  /** Resolves when every event yielded so far is in the store: before a step that cannot be undone. */
  readonly persisted: () => Promise<void>;
  /** Made when somebody asks for it, unless it is given. */
  callbackContextData?: Map<string, unknown>;
  /** What the client says while the run lives; only on live runs. */
  readonly liveRequestQueue?: LiveRequestQueue;
  /** What an agent that serves as a tool was asked: the first content of its prompts, ahead of its branch's history. */
  readonly toolInput?: Content;
  /** Keeps the session's history short; only where the app asks for it. */
  readonly compactor?: HistoryCompactor | undefined;
  /** How starts of prompts are cached; only where the app asks for it. */
  readonly contextCache?: ContextCacheConfig | undefined;
  /** Whether the app says that it is resumable. */
  readonly isResumable?: boolean | undefined;
}

/** What is different for an agent that serves as a tool. */
export interface ToolInvocation {
  readonly agent: RunnableAgent;
  readonly branch: string;
  readonly input: Content;
  readonly session: Session;
  readonly services: InvocationServices;
  readonly signal: AbortSignal;
  readonly past?: PastTurn | undefined;
}

interface Scope {
  readonly agent: RunnableAgent;
  readonly branch?: string | undefined;
  readonly span: ActiveSpan;
  /** Ends this part of the run alone; the invocation's own ends it too. */
  readonly signal?: AbortSignal | undefined;
  readonly past?: PastTurn | undefined;
}

/** One agent's view of an invocation: what is shared, which agent runs, on which branch, under which span. */
export class InvocationContext {
  readonly agent: RunnableAgent;
  readonly branch: string | undefined;
  readonly span: ActiveSpan;
  /** Ends this agent's turn after the current step. A child's flag does not reach its parent. */
  endInvocation = false;
  /** What this turn had stored when it was cut off or began to wait; undefined for a turn that is new. */
  readonly past: PastTurn | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #invocation: Invocation;
  /** What the run has spent so far; shared by all its agents. */
  readonly costs: InvocationCosts;

  constructor(invocation: Invocation, scope: Scope, costs = new InvocationCosts()) {
    this.#invocation = invocation;
    this.costs = costs;
    this.agent = scope.agent;
    this.branch = scope.branch;
    this.span = scope.span;
    this.past = scope.past;
    this.#signal = scope.signal;
  }

  get invocationId(): string {
    return this.#invocation.invocationId;
  }

  get session(): Session {
    return this.#invocation.session;
  }

  get history(): PromptHistory {
    return this.#invocation.history;
  }

  get compactor(): HistoryCompactor | undefined {
    return this.#invocation.compactor;
  }

  get contextCache(): ContextCacheConfig | undefined {
    return this.#invocation.contextCache;
  }

  get userContent(): Content | undefined {
    return this.#invocation.userContent;
  }

  /** Set for an agent that serves as a tool, and for those below it. */
  get toolInput(): Content | undefined {
    return this.#invocation.toolInput;
  }

  get runConfig(): RunConfig {
    return this.#invocation.runConfig;
  }

  /** Aborts when the run is cancelled, loses its lease or runs out of time. */
  get signal(): AbortSignal {
    return this.#signal ?? this.#invocation.signal;
  }

  /**
   * What callbacks and plugins keep for one another during this run; never stored. Begin keys with your plugin's name.
   */
  get callbackContextData(): Map<string, unknown> {
    this.#invocation.callbackContextData ??= new Map();
    return this.#invocation.callbackContextData;
  }

  /** The client's side of a live connection; undefined on other runs. */
  get liveRequestQueue(): LiveRequestQueue | undefined {
    return this.#invocation.liveRequestQueue;
  }

  get services(): InvocationServices {
    return this.#invocation.services;
  }

  get artifactService(): ArtifactService | undefined {
    return this.services.artifactService;
  }

  get memoryService(): MemoryService | undefined {
    return this.services.memoryService;
  }

  get pluginManager(): PluginChains {
    return this.services.pluginManager;
  }

  /** Resolves when every event yielded so far is in the store. Await it before a model or tool call. */
  persisted(): Promise<void> {
    return this.#invocation.persisted();
  }

  /** The same invocation for another agent, on this branch unless another is given. */
  forAgent(agent: RunnableAgent, span: ActiveSpan, branch: string | undefined = this.branch): InvocationContext {
    const past = this.past?.takeTurnOf(agent, branch);
    return new InvocationContext(this.#invocation, { agent, branch, span, signal: this.#signal, past }, this.costs);
  }

  /**
   * The same agent's view of a part of its turn: on a branch of its own, to be ended on its own, or with another past.
   */
  forPart(part: Partial<Pick<Scope, "branch" | "signal" | "past">>): InvocationContext {
    const { agent, branch, span, past } = this;
    return new InvocationContext(
      this.#invocation,
      { agent, branch, span, past, signal: this.#signal, ...part },
      this.costs,
    );
  }

  /** The newest state that this agent has put on an event of the turn that goes on; undefined in a turn that is new. */
  get agentState(): JsonObject | undefined {
    return this.past?.stateOf(this.agent);
  }

  /** The event with what this agent has to know when its turn is cut off after it; found again as `agentState`. */
  withAgentState(event: Event, state: JsonObject): Event {
    return withMark(event, { agent: this.agent, isResumable: this.#isResumable, mark: state });
  }

  /**
   * The event marked as the last one of this agent's turn: a run that resumes the turn does not start the agent again.
   */
  withEndOfAgent(event: Event): Event {
    return withResumption(event, { endOfAgent: true }, this.#isResumable);
  }

  get #isResumable(): boolean {
    return this.#invocation.isResumable === true;
  }

  /**
   * The work for one tool call within this invocation: same ids, limits and store, a closed branch and an input of its
   * own.
   */
  forTool({ agent, branch, input, past, ...rest }: ToolInvocation): InvocationContext {
    const invocation = { ...this.#invocation, ...rest, userContent: input, toolInput: input };
    return new InvocationContext(invocation, { agent, branch, span: this.span, past }, this.costs);
  }

  /**
   * Counts a model call that is about to be made. Throws `LlmCallLimitExceededError` for the first call over the limit,
   * and `TokenBudgetExceededError` when the calls before have used up the budget.
   */
  incrementLlmCallsCount(): void {
    this.costs.countLlmCall(this.runConfig);
  }

  /** Adds the tokens of a model call to what the run has spent. */
  addUsage(usage: UsageMetadata): void {
    this.costs.addUsage(usage);
  }

  /** An event of this agent, here and now. */
  createEvent(input: Partial<Omit<EventInput, "invocationId">>): Event {
    const { ids, clock } = this.services;
    const { id = ids.next(), author = this.agent.name, timestamp = clock.now(), branch = this.branch } = input;
    const { invocationId } = this;
    return createEvent(
      branch === undefined
        ? { ...input, id, invocationId, author, timestamp }
        : { ...input, id, invocationId, author, timestamp, branch },
    );
  }
}
