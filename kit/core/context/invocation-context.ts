import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { ErrorDetail } from "#kit/errors/shown-error.ts";
import type { Content, UsageMetadata } from "#kit/events/content.ts";
import { createEvent, type Event, type EventInput } from "#kit/events/event.ts";
import type { PromptHistory } from "#kit/history/prompt-history.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { BaseLlm } from "#kit/models/base-llm.ts";
import { boundedModel } from "#kit/models/bounds/bounded-model.ts";
import { configuredModel } from "#kit/models/bounds/configured-model.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";
import type { ModelProperties } from "#kit/models/model-properties.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
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

/** An agent as an interface for code that runs it. */
export interface RunnableAgent extends AgentNode {
  readonly parentAgent: RunnableAgent | undefined;
  readonly rootAgent: RunnableAgent;
  readonly subAgents: readonly RunnableAgent[];
  findAgent(name: string): RunnableAgent | undefined;
  findSubAgent(name: string): RunnableAgent | undefined;
  runAsync(parent: InvocationContext): AsyncGenerator<Event, void, undefined>;
  runLive(parent: InvocationContext): AsyncGenerator<Event, void, undefined>;
}

/**
 * Compacts a session's history during one run. Every event of the run is stored before one of these methods is called.
 */
export interface HistoryCompactor {
  /** Compacts the history if the agent's next prompt would be too long. */
  beforeModelCall(agent: { readonly name: string; resolveModel(): BaseLlm }, context: InvocationContext): Promise<void>;
  /** Whether whole invocations may have to be summarized. */
  isDueAfterRun(context: InvocationContext): boolean;
  /** Summarizes the session's invocations after the run. */
  afterRun(context: InvocationContext): Promise<void>;
}

/** The services that all agents of one invocation share. */
export interface InvocationServices {
  readonly artifactService?: ArtifactService | undefined;
  readonly memoryService?: MemoryService | undefined;
  /** Users' credentials for tools. */
  readonly credentialService?: CredentialService | undefined;
  /** Makes requests to addresses that a model, a user or another server has named. */
  readonly outbound?: OutboundAccess | undefined;
  readonly pluginManager: PluginChains;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  /** Put prompt and tool content on spans. False unless the operator enables it. */
  readonly captureContent: boolean;
  /** Defaults of the process for models' properties. */
  readonly modelProperties?: ModelProperties | undefined;
  /** Makes the calls of a model count against the run's budget; only on runs that have one. */
  readonly meterModel?: ((model: BaseLlm) => BaseLlm) | undefined;
  /** How much of an exception's text is written to stored events, run records and spans. */
  readonly errorDetail: ErrorDetail;
}

interface Invocation {
  readonly services: InvocationServices;
  readonly invocationId: string;
  readonly session: Session;
  readonly history: PromptHistory;
  readonly userContent?: Content | undefined;
  readonly runConfig: RunConfig;
  readonly signal: AbortSignal;
  /** Resolves when the store has every event yielded so far: they survive the end of this process. */
  readonly recorded: () => Promise<void>;
  /** Resolves when every event yielded so far is durable too: before a step that cannot be undone. */
  readonly persisted: () => Promise<void>;
  /** Created on first use, unless it is passed. */
  callbackContextData?: Map<string, unknown>;
  /** The client's messages during the run; only on live runs. */
  readonly liveRequestQueue?: LiveRequestQueue | undefined;
  /** The input of an agent that serves as a tool: the first content of its prompts, before its branch's history. */
  readonly toolInput?: Content;
  /** Compacts the session's history; only if the app configures it. */
  readonly compactor?: HistoryCompactor | undefined;
  /** How prefixes of prompts are cached; only if the app configures it. */
  readonly contextCache?: ContextCacheConfig | undefined;
  /** Whether the app is declared resumable. */
  readonly isResumable?: boolean | undefined;
  /** Whether another runner executed this run before. */
  readonly isRecovered?: boolean | undefined;
}

/** The differences of an invocation of an agent that serves as a tool. */
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
  /** Aborts only this part of the run. The caller combines it with the invocation's own signal. */
  readonly signal?: AbortSignal | undefined;
  readonly past?: PastTurn | undefined;
}

/** One agent's view of an invocation: the shared services, the agent that runs, its branch and its span. */
export class InvocationContext {
  readonly agent: RunnableAgent;
  readonly branch: string | undefined;
  readonly span: ActiveSpan;
  /** Ends this agent's turn after the current step. A child's flag does not reach its parent. */
  endInvocation = false;
  /** The events that this turn had stored when it was interrupted or began to wait; undefined for a new turn. */
  readonly past: PastTurn | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #invocation: Invocation;
  /** The run's costs so far; shared by all its agents. */
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

  /** Data that callbacks and plugins share during this run; never stored. Begin keys with your plugin's name. */
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

  /**
   * Returns the model with the process's properties and with bounded answers, and with its calls counted against the
   * run's budget if it has one. Of a model that asks others, that is each of them; a call that follows a failed one
   * counts as one more call of the run.
   */
  metered(model: BaseLlm): BaseLlm {
    if (model.mapModels !== undefined) {
      let calls = 0;
      return model.mapModels((each) => {
        const metered = this.metered(each);
        return {
          ...metered,
          generateContentAsync: (request, options) => {
            if (calls > 0) this.incrementLlmCallsCount();
            calls += 1;
            return metered.generateContentAsync(request, options);
          },
        };
      });
    }
    const { meterModel, modelProperties } = this.services;
    const bounded = boundedModel(model, this.runConfig);
    const metered = meterModel?.(bounded) ?? bounded;
    return modelProperties === undefined ? metered : configuredModel(metered, modelProperties);
  }

  get artifactService(): ArtifactService | undefined {
    return this.services.artifactService;
  }

  get memoryService(): MemoryService | undefined {
    return this.services.memoryService;
  }

  get credentialService(): CredentialService | undefined {
    return this.services.credentialService;
  }

  get outbound(): OutboundAccess | undefined {
    return this.services.outbound;
  }

  get pluginManager(): PluginChains {
    return this.services.pluginManager;
  }

  /**
   * Resolves when the store has every event yielded so far. Await it before a model call. The events survive the end of
   * this process, but the start of the run may not be durable yet: a power failure can undo it.
   */
  recorded(): Promise<void> {
    return this.#invocation.recorded();
  }

  /** Resolves when every event yielded so far is durable in the store. Await it before a tool call. */
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

  /** The same view with additional members. It shares `endInvocation` with this view. */
  withMembers<Members extends object>(members: Members): InvocationContext & Members {
    const view = this.forPart({});
    Object.defineProperty(view, "endInvocation", {
      get: () => this.endInvocation,
      set: (isEnded: boolean) => {
        this.endInvocation = isEnded;
      },
    });
    return Object.assign(view, members);
  }

  get appName(): string {
    return this.session.appName;
  }

  get userId(): string {
    return this.session.userId;
  }

  /** The same as `signal`. */
  get abortSignal(): AbortSignal {
    return this.signal;
  }

  /** Whether a runner that was lost executed this run before: what it has done since its last stored event is unknown. */
  get isRecovered(): boolean {
    return this.#invocation.isRecovered === true;
  }

  /** The newest state that this agent has put on an event of the resumed turn; undefined in a new turn. */
  get agentState(): JsonObject | undefined {
    return this.past?.stateOf(this.agent);
  }

  /** Returns the event with the state that this agent needs to resume its turn after it; read it from `agentState`. */
  withAgentState(event: Event, state: JsonObject): Event {
    return withMark(event, { agent: this.agent, isResumable: this.#isResumable, mark: state });
  }

  /**
   * Returns the event marked as the last one of this agent's turn: a run that resumes the turn does not start the agent
   * again.
   */
  withEndOfAgent(event: Event): Event {
    return withResumption(event, { endOfAgent: true }, this.#isResumable);
  }

  get #isResumable(): boolean {
    return this.#invocation.isResumable === true;
  }

  /**
   * The context of one tool call within this invocation: the same ids, limits and store, with a branch and an input of
   * its own.
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

  /** Adds the tokens of a model call to the run's costs. */
  addUsage(usage: UsageMetadata): void {
    this.costs.addUsage(usage);
  }

  /** Creates an event of this agent, with the current time and branch. */
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
