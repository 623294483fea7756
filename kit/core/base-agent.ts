import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { type AfterAgentCallback, type BeforeAgentCallback, type OneOrMany, toList } from "./callbacks.ts";
import { closeAll } from "./close-all.ts";
import { firstAnswer, ownLinks } from "./compose.ts";
import type { AgentKind } from "./context/agent-node.ts";
import { CallbackContext } from "./context/callback-context.ts";
import type { InvocationContext, RunnableAgent } from "./context/invocation-context.ts";
import { hasSameEffect, type PastTurn } from "./context/past-turn.ts";
import { pluginLinks } from "./plugin-manager.ts";

/** Options that all agents have. */
export interface BaseAgentOptions {
  /** An identifier, unique within the tree; not `user`. */
  readonly name: string;
  /** Says to other agents what this one is for, so that they can choose whom to hand over to. */
  readonly description?: string;
  /** The agents below this one. Each agent has one parent. */
  readonly subAgents?: readonly BaseAgent[];
  /** Before the agent's turn: can return content, which is its answer then. */
  readonly beforeAgentCallback?: OneOrMany<BeforeAgentCallback>;
  /** After the agent's turn: can return content, which is added to its answer. */
  readonly afterAgentCallback?: OneOrMany<AfterAgentCallback>;
}

/** Where an agent comes from, for code that tells kinds of tools apart when the agent is used as one. */
export const AgentOrigin = {
  /** An agent of this process. */
  BASE_AGENT: "BASE_AGENT",
  /** An agent of another server, reached by the A2A protocol. */
  A2A: "A2A",
} as const;
export type AgentOrigin = (typeof AgentOrigin)[keyof typeof AgentOrigin];

const AGENT_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** An agent: a name, a place in a tree and a way to run. Shared by all runs; holds no state of one. */
export abstract class BaseAgent implements RunnableAgent {
  readonly kind: AgentKind = "agent";
  readonly catchesEscalation: boolean = false;
  /** Classes of remote agents override it. */
  readonly toolOrigin: AgentOrigin = AgentOrigin.BASE_AGENT;
  readonly name: string;
  readonly description: string;
  readonly subAgents: readonly BaseAgent[];
  readonly beforeAgentCallbacks: readonly BeforeAgentCallback[];
  readonly afterAgentCallbacks: readonly AfterAgentCallback[];
  #parentAgent: BaseAgent | undefined;

  /**
   * Throws `INVALID_FIELD` for a wrong name or sub-agent, and `DUPLICATE_NAME` for a sub-agent that has a parent
   * already.
   */
  constructor(options: BaseAgentOptions) {
    this.name = checkName(options.name);
    this.description = options.description ?? "";
    this.subAgents = options.subAgents ?? [];
    this.beforeAgentCallbacks = toList(options.beforeAgentCallback);
    this.afterAgentCallbacks = toList(options.afterAgentCallback);
    this.subAgents.forEach((agent, index) => {
      // Plain JavaScript can pass anything.
      if (!(agent instanceof BaseAgent)) {
        const problem = `subAgents[${index}] is not an agent: give agents, as in subAgents: [new LlmAgent({ … })].`;
        throw new PlatformError("INVALID_FIELD", `Agent "${this.name}": ${problem}`);
      }
      agent.#adopt(this);
    });
  }

  get parentAgent(): BaseAgent | undefined {
    return this.#parentAgent;
  }

  get rootAgent(): BaseAgent {
    return this.#parentAgent?.rootAgent ?? this;
  }

  /** This agent or one below it. */
  findAgent(name: string): BaseAgent | undefined {
    return this.name === name ? this : this.findSubAgent(name);
  }

  /** An agent below this one. */
  findSubAgent(name: string): BaseAgent | undefined {
    for (const agent of this.subAgents) {
      const found = agent.findAgent(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * Runs the agent: callbacks before, its own work, callbacks after. The generator is resumed after a complete event
   * once the event is stored.
   */
  runAsync(parent: InvocationContext): AsyncGenerator<Event, void, undefined> {
    return this.#run(parent, (context) => this.runAsyncImpl(context));
  }

  /**
   * As `runAsync`, over a live connection: the client's messages arrive in `context.liveRequestQueue` while the agent
   * works.
   */
  runLive(parent: InvocationContext): AsyncGenerator<Event, void, undefined> {
    return this.#run(parent, (context) => this.runLiveImpl(context));
  }

  async *#run(
    parent: InvocationContext,
    work: (context: InvocationContext) => AsyncIterable<Event>,
  ): AsyncGenerator<Event, void, undefined> {
    const span = parent.span.child(`invoke_agent ${this.name}`, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": this.name,
      "gen_ai.agent.description": this.description,
      "gen_ai.conversation.id": parent.session.id,
    });
    const context = parent.forAgent(this, span);
    const { past } = context;
    try {
      if (past === undefined) {
        const before = await this.#callBefore(context);
        if (before !== undefined) yield before;
        if (context.endInvocation) return;
        yield* work(context);
      } else {
        if (past.hasEnded(this, context.branch)) return;
        yield* this.resumeAsyncImpl(context, past);
      }
      if (context.endInvocation) return;
      const after = await this.#callAfter(context);
      if (after !== undefined && past?.hasStored(after) !== true) yield after;
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /**
   * Closes the resources of the agent and of those below it, such as connections of their tools. Throws the first
   * failure after all were closed.
   */
  async close(): Promise<void> {
    await closeAll(this.subAgents);
  }

  /** The agent's own work. It ends early when `context.signal` aborts. */
  protected abstract runAsyncImpl(context: InvocationContext): AsyncIterable<Event>;

  /**
   * Throws `LIVE_NOT_SUPPORTED`, with the agent's name, if a live run cannot start with this agent: its kind has no
   * `runLiveImpl`, or its model has no live connection. As in ADK, loops, parallel agents and planners have none.
   */
  assertLive(): void {
    if (this.runLiveImpl === BaseAgent.prototype.runLiveImpl) throw this.#notLive();
  }

  /** Overridden by the kinds of agents that can run live. */
  protected runLiveImpl(_context: InvocationContext): AsyncIterable<Event> {
    throw this.#notLive();
  }

  #notLive(): PlatformError {
    const how = "use an LlmAgent or a SequentialAgent, or override runLiveImpl";
    const problem = `Agent "${this.name}" cannot run live: its kind is "${this.kind}"; ${how}.`;
    return new PlatformError("LIVE_NOT_SUPPORTED", problem);
  }

  /**
   * Resumes a turn of which events are stored. Unless overridden, the agent's work starts again: turns of other agents
   * in it resume where they stopped, and events that are stored already are not yielded again. An agent that puts its
   * state on its events (`context.withAgentState`) has all its events stored, and reads where it stopped from
   * `context.agentState`.
   */
  protected resumeAsyncImpl(context: InvocationContext, past: PastTurn): AsyncIterable<Event> {
    const events = this.runAsyncImpl(context);
    return context.agentState === undefined ? withoutStored(events, past.ownEventsOf(this, context.branch)) : events;
  }

  async #callBefore(context: InvocationContext): Promise<Event | undefined> {
    const plugins = pluginLinks(context, "beforeAgentCallback");
    if (plugins.length === 0 && this.beforeAgentCallbacks.length === 0) return undefined;
    const callbackContext = new CallbackContext(context, undefined, context.services.ids.next());
    const content =
      (await firstAnswer("beforeAgentCallback", plugins, this, callbackContext)) ??
      (await firstAnswer("beforeAgentCallback", ownLinks(this.name, this.beforeAgentCallbacks), callbackContext));
    const event = callbackEvent(context, callbackContext, content);
    if (event === undefined || content === undefined) return event;
    context.endInvocation = true;
    // Without the mark the event would look like an event of the agent itself, after which callbacks still run.
    return context.withEndOfAgent(event);
  }

  async #callAfter(context: InvocationContext): Promise<Event | undefined> {
    const plugins = pluginLinks(context, "afterAgentCallback");
    if (plugins.length === 0 && this.afterAgentCallbacks.length === 0) return undefined;
    const active = this.afterAgentCallbacks.length + pluginLinks(context, "afterAgentCallback", true).length;
    // What a callback does may not be undone; to observe needs no stored event.
    if (active > 0) await context.persisted();
    const callbackContext = new CallbackContext(context, undefined, context.services.ids.next());
    const content =
      (await firstAnswer("afterAgentCallback", plugins, this, callbackContext)) ??
      (await firstAnswer("afterAgentCallback", ownLinks(this.name, this.afterAgentCallbacks), callbackContext));
    return callbackEvent(context, callbackContext, content);
  }

  #adopt(parent: BaseAgent): void {
    if (this.#parentAgent !== undefined) {
      const owner = this.#parentAgent.name;
      throw new PlatformError(
        "DUPLICATE_NAME",
        `Agent "${this.name}" has a parent already ("${owner}"): create one instance for each place.`,
      );
    }
    this.#parentAgent = parent;
  }
}

/** Throws `DUPLICATE_NAME` when two agents of the tree share a name. */
export function assertUniqueNames(root: BaseAgent): void {
  const seen = new Set<string>();
  const visit = (agent: BaseAgent): void => {
    if (seen.has(agent.name)) {
      throw new PlatformError(
        "DUPLICATE_NAME",
        `Two agents are named "${agent.name}": rename one, because names are unique within a tree.`,
      );
    }
    seen.add(agent.name);
    agent.subAgents.forEach(visit);
  };
  visit(root);
}

function callbackEvent(
  context: InvocationContext,
  callback: CallbackContext,
  content: Content | undefined,
): Event | undefined {
  const artifactsChanged = Object.keys(callback.eventActions.artifactDelta).length > 0;
  if (content === undefined && !callback.hasStateDelta && !artifactsChanged) return undefined;
  const { eventId: id, eventActions: actions } = callback;
  return context.createEvent({ id, actions, content });
}

/** The events of restarted work that are not stored yet. */
async function* withoutStored(events: AsyncIterable<Event>, stored: readonly Event[]): AsyncGenerator<Event> {
  const known = [...stored];
  for await (const event of events) {
    const at = event.partial === true ? -1 : known.findIndex((earlier) => hasSameEffect(earlier, event));
    if (at === -1) yield event;
    else known.splice(0, at + 1);
  }
}

function checkName(name: string): string {
  if (typeof name !== "string") throw new PlatformError("INVALID_FIELD", "An agent has no name: set `name` to a text.");
  if (!AGENT_NAME.test(name)) {
    throw new PlatformError(
      "INVALID_FIELD",
      `Agent name "${name}" is not an identifier: use letters, digits, "_" and "-", not a digit first.`,
    );
  }
  if (name === USER_AUTHOR)
    throw new PlatformError(
      "INVALID_FIELD",
      `An agent may not be named "user", the author of the user's messages: choose another name.`,
    );
  return name;
}
