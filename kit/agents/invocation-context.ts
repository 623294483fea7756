import type { ArtifactService } from "../artifacts/artifact-service.ts";
import { LlmCallLimitExceededError } from "../errors/kit-errors.ts";
import type { Content } from "../events/content.ts";
import { createEvent, type Event, type EventInput } from "../events/event.ts";
import type { PromptHistory } from "../flow/prompt-history.ts";
import type { MemoryService } from "../memory/memory-service.ts";
import type { Clock } from "../platform/clock.ts";
import type { IdGenerator } from "../platform/id-generator.ts";
import type { Logger } from "../platform/logger.ts";
import type { PluginManager } from "../plugins/plugin-manager.ts";
import type { Session } from "../sessions/session.ts";
import type { ActiveSpan } from "../telemetry/run-trace.ts";
import type { BaseAgent } from "./base-agent.ts";
import type { RunConfig } from "./run-config.ts";

/** What all agents of one invocation share. */
export interface InvocationServices {
  readonly artifactService?: ArtifactService;
  readonly memoryService?: MemoryService;
  readonly pluginManager: PluginManager;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly logger: Logger;
  /** Put prompt and tool content on spans. Off unless the operator switched it on. */
  readonly captureContent: boolean;
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
}

interface Scope {
  readonly agent: BaseAgent;
  readonly branch?: string | undefined;
  readonly span: ActiveSpan;
}

/** One agent's view of an invocation: what is shared, which agent runs, on which branch, under which span. */
export class InvocationContext {
  readonly agent: BaseAgent;
  readonly branch: string | undefined;
  readonly span: ActiveSpan;
  /** Ends this agent's turn after the current step. A child's flag does not reach its parent. */
  endInvocation = false;
  readonly #invocation: Invocation;
  /** Shared by reference, so that the limit spans transfers, loops and sub-agents. */
  readonly #llmCalls: { count: number };

  constructor(invocation: Invocation, scope: Scope, llmCalls: { count: number } = { count: 0 }) {
    this.#invocation = invocation;
    this.#llmCalls = llmCalls;
    this.agent = scope.agent;
    this.branch = scope.branch;
    this.span = scope.span;
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

  get userContent(): Content | undefined {
    return this.#invocation.userContent;
  }

  get runConfig(): RunConfig {
    return this.#invocation.runConfig;
  }

  /** Aborts when the run is cancelled, loses its lease or runs out of time. */
  get signal(): AbortSignal {
    return this.#invocation.signal;
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

  get pluginManager(): PluginManager {
    return this.services.pluginManager;
  }

  /** Resolves when every event yielded so far is in the store. Await it before a model or tool call. */
  persisted(): Promise<void> {
    return this.#invocation.persisted();
  }

  /** The same invocation for another agent, on this branch unless another is given. */
  forAgent(agent: BaseAgent, span: ActiveSpan, branch: string | undefined = this.branch): InvocationContext {
    return new InvocationContext(this.#invocation, { agent, branch, span }, this.#llmCalls);
  }

  /** Counts a model call. Throws `LlmCallLimitExceededError` for the first call over the limit. */
  incrementLlmCallsCount(): void {
    this.#llmCalls.count += 1;
    const limit = this.runConfig.maxLlmCalls;
    if (limit > 0 && this.#llmCalls.count > limit) throw new LlmCallLimitExceededError(limit);
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
