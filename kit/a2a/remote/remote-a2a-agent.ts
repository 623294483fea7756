import type { Message, TaskState } from "@a2a-js/sdk";
import type { RequestOptions } from "@a2a-js/sdk/client";
import type { EventMembers } from "#kit/a2a/conversion/event-metadata.ts";
import { A2AMetadata, ADK_EXTENSION_URI, AdkMetadataKey, PEER_KEY } from "#kit/a2a/conversion/metadata-keys.ts";
import { isPaused } from "#kit/a2a/conversion/protocol.ts";
import { AgentOrigin, BaseAgent, type BaseAgentOptions } from "#kit/core/base-agent.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { A2AClientError, AgentCardResolutionError } from "#kit/errors/a2a-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import type { Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { ArtifactProgress } from "./artifact-assembly.ts";
import { pauseQuestion, replyTo } from "./paused-task.ts";
import {
  type A2AClient,
  type AgentCardSource,
  createPeerClient,
  problemOf,
  type ReadCard,
  readCard,
} from "./peer-client.ts";
import { RemoteTask, type TaskOutput } from "./remote-task.ts";
import { conversationOf, newestAnswer, unseenMessage } from "./unseen-message.ts";
import { type CardKeys, verifyCard } from "./verify-card.ts";

/** Options of a `RemoteA2AAgent`. */
export interface RemoteA2AAgentOptions extends BaseAgentOptions {
  /**
   * The card of the remote agent: an object, the address of a card or of its server, or the path of a file. Not needed
   * with an `a2aClient`.
   */
  readonly agentCard?: AgentCardSource;
  /** A client of `@a2a-js/sdk` with connections and credentials of its own. Default: one for the card. */
  readonly a2aClient?: A2AClient;
  /** The public keys of whoever signs the card, or their address: a card without such a signature is refused. */
  readonly cardKeys?: CardKeys;
  /** Headers for each run, such as the credentials of the run's user. They are sent to the card's server too. */
  readonly headerProvider?: (context: ReadonlyContext) => RequestHeaders | Promise<RequestHeaders>;
  /** The longest time between two answers of the remote, in milliseconds; 600,000 by default. */
  readonly timeoutMs?: number;
}

type RequestHeaders = Readonly<Record<string, string>>;

const DEFAULT_TIMEOUT_MS = 600_000;
const CANCEL_TIMEOUT_MS = 5_000;

/**
 * An agent of another server, which is called by the Agent2Agent protocol. It sends what the remote has not seen of the
 * conversation, and its events are the remote's messages, artifacts and statuses. The session has the remote's task and
 * context: a recovered run follows the task, and asks nothing twice.
 *
 * @example
 * new RemoteA2AAgent({ name: "prime_checker", agentCard: "https://primes.example.com/a2a/primes" });
 */
export class RemoteA2AAgent extends BaseAgent {
  static readonly AgentCardResolutionError = AgentCardResolutionError;
  static readonly TypeError = TypeError;

  override readonly kind = "remote";
  override readonly toolOrigin = AgentOrigin.A2A;
  readonly agentCard: AgentCardSource | undefined;
  readonly #options: RemoteA2AAgentOptions;
  #description: string | undefined;
  #card: ReadCard | undefined;

  /** Throws `INVALID_FIELD` if there is neither a card nor a client. */
  constructor(options: RemoteA2AAgentOptions) {
    super(options);
    const { agentCard, a2aClient, cardKeys, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    const refuse = (field: string, problem: string): never => {
      throw new PlatformError("INVALID_FIELD", `Agent "${this.name}": ${field} ${problem}`, { details: { field } });
    };
    if (a2aClient === undefined && (agentCard === undefined || agentCard === ""))
      refuse("agentCard", "is missing: give a card, its address or its file, or an a2aClient.");
    if (a2aClient !== undefined && cardKeys !== undefined)
      refuse("cardKeys", "are for an agentCard: an a2aClient has a card already.");
    if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) refuse("timeoutMs", "must be a whole number above 0.");
    this.#options = options;
    this.agentCard = agentCard;
  }

  /** The remote's own description, if the agent has none and the card was read. */
  get remoteDescription(): string | undefined {
    return this.#description;
  }

  protected override async *runAsyncImpl(context: InvocationContext): AsyncGenerator<Event, void, undefined> {
    using answers = new AnswerTime(context.signal, this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const client = await this.#clientFor(context, answers.signal);
    const request: RequestOptions = {
      signal: answers.signal,
      serviceParameters: { "A2A-Extensions": ADK_EXTENSION_URI },
    };
    const step = nextStep(context, this.name);
    if (step === undefined) return;
    const task = new RemoteTask({ client, request, signal: answers.signal, progress: progressOf(context) });
    const outputs = step.kind === "follow" ? task.follow(step.taskId, step.contextId) : task.send(step.message);
    const events = new RemoteEvents(context, step, this.#peer);
    try {
      for await (const output of outputs) {
        answers.restart();
        const event = events.eventOf(output);
        if (event !== undefined) yield event;
      }
    } catch (error) {
      throw context.signal.aborted ? error : this.#failure(error, answers);
    } finally {
      if (task.activeTaskId !== "" && isCancelled(context.signal)) await cancelTask(client, task.activeTaskId, context);
    }
  }

  async #clientFor(context: InvocationContext, signal: AbortSignal): Promise<A2AClient> {
    const { a2aClient, headerProvider } = this.#options;
    if (a2aClient !== undefined) return a2aClient;
    const headers = (await headerProvider?.(new ReadonlyContext(context))) ?? {};
    const fetch = guardedFetch(context, { headers, signal, timeoutMs: this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS });
    try {
      // A card that could not be read is read again by the next run.
      this.#card ??= await this.#readCard(fetch);
      this.#description = this.#card.card.description;
      return await createPeerClient(this.#card, fetch);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof AgentCardResolutionError)) throw error;
      throw new AgentCardResolutionError(`Agent "${this.name}": ${error.message}`, error.cause);
    }
  }

  async #readCard(fetch: Fetch): Promise<ReadCard> {
    const { agentCard = "", cardKeys } = this.#options;
    const read = await readCard(agentCard, fetch);
    if (cardKeys !== undefined) await verifyCard(read.card, cardKeys, fetch);
    return read;
  }

  /** The address of the card without what may be secret in it, or else of the agent; undefined if there is none. */
  get #peer(): string | undefined {
    const { agentCard } = this;
    const url = typeof agentCard === "string" && /^https?:/i.test(agentCard) ? agentCard : undefined;
    const address = URL.parse(url ?? this.#card?.card.supportedInterfaces[0]?.url ?? "");
    return address === null ? undefined : address.origin + address.pathname;
  }

  #failure(error: unknown, answers: AnswerTime): Error {
    if (answers.isOver)
      return new A2AClientError(
        `Agent "${this.name}": the remote agent has not answered within ${answers.limitMs} ms.`,
      );
    if (error instanceof PlatformError && !(error instanceof A2AClientError)) return error;
    return new A2AClientError(`Agent "${this.name}": ${problemOf(error)}`, error);
  }
}

/** The agent's work in this run: it follows a task, or sends a message. */
type Step =
  | { readonly kind: "follow"; readonly taskId: string; readonly contextId: string }
  | { readonly kind: "send"; readonly message: Message };

/** Undefined if the remote has seen everything. */
function nextStep(context: InvocationContext, name: string): Step | undefined {
  const place = conversationOf(context);
  const mark = context.agentState;
  const newest = context.past?.events.at(-1);
  const isAnswer = newest?.author === USER_AUTHOR;
  if (mark?.["isActive"] === true && !isAnswer && place.taskId !== "") return { kind: "follow", ...place };
  const paused = place.taskId !== "" && isPausedAt(context) ? place : { ...place, taskId: "" };
  const reply = isAnswer ? replyTo(context, newest, paused, name) : undefined;
  const message = reply ?? unseenMessage(context, paused);
  return message && { kind: "send", message };
}

/** Makes events of a task's outputs, with the places that a later run needs. */
class RemoteEvents {
  readonly #context: InvocationContext;
  #taskId: string;
  #contextId: string;
  /** Undefined after the first complete event. */
  #peer: string | undefined;

  constructor(context: InvocationContext, step: Step, peer: string | undefined) {
    this.#peer = peer;
    this.#context = context;
    const { taskId, contextId } = step.kind === "follow" ? step : step.message;
    this.#taskId = taskId;
    this.#contextId = contextId;
  }

  eventOf(output: TaskOutput): Event | undefined {
    switch (output.kind) {
      case "task":
        this.#taskId = output.taskId;
        this.#contextId = output.contextId;
        // Without a task there is nothing to follow.
        return output.taskId === "" ? undefined : this.#complete({}, {}, true);
      case "event": {
        const { members, progress, isAggregated = false, answer } = output;
        if (members.partial === true) return this.#context.createEvent(members);
        const more: Record<string, JsonObject[string]> = { [A2AMetadata.Key.RESPONSE]: { kind: answer } };
        if (progress !== undefined) more[ARTIFACT_KEY] = { id: progress.id, parts: progress.parts };
        if (isAggregated) more[A2AMetadata.Key.AGGREGATED] = "true";
        return this.#complete(members, more, true);
      }
      case "end":
        return this.#end(output.state, output.members);
      default:
        return output satisfies never;
    }
  }

  #end(state: TaskState | undefined, members: EventMembers): Event {
    const isWaiting = state !== undefined && isPaused(state);
    const shown = isWaiting ? pauseQuestion(members, state, this.#context.services.ids) : members;
    const failed = state !== undefined && !isWaiting && shown.errorMessage !== undefined;
    const named = failed && shown.errorCode === undefined ? { ...shown, errorCode: "A2A_TASK_FAILED" } : shown;
    const answer = { kind: state === undefined ? "message" : "status", ...(state === undefined ? {} : { state }) };
    return this.#complete(named, { [A2AMetadata.Key.RESPONSE]: answer, [PAUSED_KEY]: isWaiting }, false);
  }

  #complete({ partial: _, ...members }: EventMembers, more: JsonObject, isActive: boolean): Event {
    const given = isJsonObject(members.customMetadata) ? members.customMetadata : {};
    const customMetadata: Record<string, JsonObject[string]> = { ...given, ...more };
    if (this.#peer !== undefined) customMetadata[PEER_KEY] = this.#peer;
    this.#peer = undefined;
    if (this.#taskId !== "") customMetadata[AdkMetadataKey.TASK_ID] = this.#taskId;
    if (this.#contextId !== "") customMetadata[AdkMetadataKey.CONTEXT_ID] = this.#contextId;
    return this.#context.withAgentState(this.#context.createEvent({ ...members, customMetadata }), { isActive });
  }
}

/** How much of an artifact an event completes. */
const ARTIFACT_KEY = "a2a:artifact";
/** Whether the task waits for a message. */
const PAUSED_KEY = "a2a:paused";

function progressOf({ past, agent, branch }: InvocationContext): readonly ArtifactProgress[] {
  return (past?.ownEventsOf(agent, branch) ?? []).flatMap(({ customMetadata }) => {
    const given = isJsonObject(customMetadata) ? customMetadata[ARTIFACT_KEY] : undefined;
    if (!isJsonObject(given)) return [];
    const { id, parts } = given;
    return typeof id === "string" && typeof parts === "number" ? [{ id, parts }] : [];
  });
}

function isPausedAt(context: InvocationContext): boolean {
  const newest = newestAnswer(context);
  return isJsonObject(newest?.customMetadata) && newest.customMetadata[PAUSED_KEY] === true;
}

/** The time limit from one answer of the remote to the next. */
class AnswerTime implements Disposable {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(signal: AbortSignal, limitMs: number) {
    this.limitMs = limitMs;
    this.signal = AbortSignal.any([signal, this.#abort.signal]);
    this.#timer = setTimeout(() => this.#abort.abort(), limitMs);
  }

  get isOver(): boolean {
    return this.#abort.signal.aborted;
  }

  restart(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

interface FetchOptions {
  readonly headers: RequestHeaders;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** A `fetch` that uses the run's `outbound`, because definitions and cards can name any address. */
function guardedFetch({ outbound }: InvocationContext, { headers, signal, timeoutMs }: FetchOptions): Fetch {
  return (input, init) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const request = { ...init, headers: all, signal: init?.signal ?? signal };
    return outbound === undefined
      ? fetch(input, request)
      : outbound.fetch(input, { ...request, acceptsEventStream: true, timeoutMs });
  };
}

/** Whether the run has ended for good. A run that another runner recovers keeps its task. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof PlatformError && ["RUN_CANCELLED", "RUN_TIMED_OUT"].includes(reason.reason);
}

async function cancelTask(client: A2AClient, id: string, { services }: InvocationContext): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    await client.cancelTask({ tenant: "", id, metadata: undefined }, { signal });
  } catch (error) {
    // The run ends as cancelled whether or not the remote does.
    services.logger.warn({ error }, "a remote agent's task could not be cancelled");
  }
}
