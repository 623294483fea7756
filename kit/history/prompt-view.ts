import { seesBranch } from "#kit/events/branch.ts";
import type { Content, FunctionResponse, Part } from "#kit/events/content.ts";
import { type Event, functionCalls, saidContent, USER_AUTHOR } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { quoteOtherAgent } from "./quote-other-agent.ts";
import { withoutRefused } from "./refused-contents.ts";

const UNKNOWN_OUTCOME = "The call was interrupted before it answered; whether it took effect is unknown.";
const SUMMARY_LEAD_IN = "Summary of the conversation so far, in place of its older messages:";
const PENDING = "The call has not answered yet.";

/** The agent and branch whose view of the history is built. */
export interface Viewer {
  readonly agentName: string;
  readonly branch: string | undefined;
}

interface Call {
  /** Its id in the prompt. */
  readonly id: string;
  /** Index of the content that holds the call. */
  readonly index: number;
  readonly name: string;
  readonly longRunning: boolean;
}

/**
 * The contents that one agent sends to its model, extended as events arrive, so that a turn costs the same at any
 * length of history. Every call has exactly one response, directly after it: missing ones are filled in. A response
 * that arrives after something else was said, or whose call another agent has made, is news: a text at its own place
 * in the conversation. So nothing that was said is lost, and a prompt begins with the prompt before it. No method
 * throws.
 */
export class PromptView {
  readonly #viewer: Viewer;
  readonly #contents: Content[] = [];
  /** The newest call of each id that the history has. */
  readonly #calls = new Map<string, Call>();
  /** The calls without a response in their place, oldest first. */
  readonly #open = new Set<Call>();
  /** Those of the open calls whose response has come as news. */
  readonly #answeredLate = new Set<Call>();
  /** Whether the agent may see the answers to calls that are not calls of its own, by their ids. */
  readonly #others = new Map<string, boolean>();
  /** Summarized calls are missing here, and may get another response later. */
  #hasSummary = false;
  /** The calls that the newest content reports on, if it is news only. */
  #news: ReadonlySet<string> | undefined;

  /** The newest invocation, and the index of its first content. */
  #turn: { readonly id: string | undefined; readonly from: number } | undefined;
  /** Where the contents begin that the model has refused and not answered since. */
  #refusedFrom: number | undefined;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  /** Adds an event. */
  push(given: Event): void {
    const event = given.content === undefined ? withTranscript(given) : given;
    if (event.errorCode === "MODEL_BAD_REQUEST") this.#replaceRefused(event);
    if (event.invocationId !== this.#turn?.id) this.#turn = { id: event.invocationId, from: this.#contents.length };
    const content = event.content;
    const isOwn = event.author === this.#viewer.agentName;
    if (content?.parts === undefined) return;
    if (!isOwn || !seesBranch(this.#viewer.branch, event.branch)) this.pass(event);
    if (!isVisible(event, this.#viewer)) return;
    if (event.author !== USER_AUTHOR && !isOwn) {
      const relayed = quoteOtherAgent(event);
      if (relayed !== undefined) this.#add(relayed);
      return;
    }
    if (content.parts.some((part) => part.functionResponse !== undefined)) this.#pushResponses(content.parts);
    else this.#pushContent(event, content);
  }

  /** Leaves an event out whose calls may be answered by a later one. */
  pass(event: Event): void {
    const isSeen = seesBranch(this.#viewer.branch, event.branch);
    for (const { id } of functionCalls(event)) if (id !== undefined) this.#others.set(id, isSeen);
  }

  /**
   * Adds the summary that replaces the events before it. Its role is `user`, because models require that a conversation
   * begins with the user.
   */
  pushSummary(content: Content): void {
    this.#hasSummary = true;
    this.#add({ role: "user", parts: [{ text: SUMMARY_LEAD_IN }, ...(content.parts ?? [])] });
  }

  /** The current contents; the caller may change the list, not its entries. */
  contents(): Content[] {
    const contents = this.#contents.slice();
    // From the back, so that an insertion does not move the calls before it.
    for (const call of [...this.#open].reverse()) {
      const part = this.#filledIn(call);
      const behind = contents[call.index + 1];
      if (behind !== undefined && holdsResponses(behind)) contents[call.index + 1] = withResponse(behind, part);
      else contents.splice(call.index + 1, 0, { role: "user", parts: [part] });
    }
    return contents;
  }

  /** What the model has just refused must not be refused again and again. */
  #replaceRefused(event: Event): void {
    if (!seesBranch(this.#viewer.branch, event.branch)) return;
    const answered = this.#contents.findLastIndex(({ role }) => role === "model") + 1;
    // A further refusal without an answer since the first one concerns everything that had no answer.
    if (this.#refusedFrom === undefined || this.#refusedFrom < answered)
      this.#refusedFrom = Math.max(answered, this.#turn?.from ?? 0);
    for (const [index, content] of withoutRefused(this.#contents, this.#refusedFrom, event).entries())
      this.#contents[index] = content;
  }

  #add(content: Content): void {
    this.#contents.push(content);
    this.#news = undefined;
  }

  #pushContent(event: Event, given: Content): void {
    const index = this.#contents.length;
    const parts = given.parts?.map((part, place) => this.#takeCall(event, part, `call-at-${index}-${place}`));
    const content = parts?.some((part, place) => part !== given.parts?.[place]) ? { ...given, parts } : given;
    // Clients may leave the role out; model APIs require it.
    this.#add(
      content.role === undefined ? { ...content, role: event.author === USER_AUTHOR ? "user" : "model" } : content,
    );
  }

  /**
   * Providers match responses to calls by ids, and refuse an id that is used twice. Some models give the same ids in
   * each answer, and histories of other servers may have calls without ids: those get `otherId`.
   */
  #takeCall({ longRunningToolIds }: Event, part: Part, otherId: string): Part {
    if (part.functionCall === undefined) return part;
    const { id: given = "", name = "" } = part.functionCall;
    const id = given === "" || this.#calls.has(given) ? otherId : given;
    const call = { id, index: this.#contents.length, name, longRunning: longRunningToolIds?.includes(given) === true };
    this.#calls.set(given === "" ? id : given, call);
    this.#open.add(call);
    return id === given ? part : { ...part, functionCall: { ...part.functionCall, id } };
  }

  #pushResponses(parts: readonly Part[]): void {
    if (this.#answersNewest(parts)) {
      this.#add({ role: "user", parts });
      return;
    }
    const others: Part[] = [];
    const news = new Set<string>();
    for (const part of parts) {
      const { functionResponse } = part;
      if (functionResponse === undefined) others.push(part);
      else if (!this.#answerInPlace(part, functionResponse) && this.#mayReport(functionResponse)) {
        others.push(...describeResponse(functionResponse));
        news.add(functionResponse.id ?? "");
      }
    }
    if (others.length === 0) return;
    // A client that sends an answer again, because the model has not reacted to it, replaces the first.
    const known = this.#news;
    if (known !== undefined && news.size === parts.length && known.isSubsetOf(news)) this.#contents.pop();
    this.#add({ role: "user", parts: others });
    if (news.size === parts.length) this.#news = news;
  }

  /** Whether these are the first responses to calls of the newest content. Most are, and are appended unchanged. */
  #answersNewest(parts: readonly Part[]): boolean {
    const newest = this.#contents.length - 1;
    const answered = new Set<Call>();
    for (const { functionResponse } of parts) {
      const call = this.#calls.get(functionResponse?.id ?? "");
      if (call?.index !== newest || call.id !== functionResponse?.id || !this.#open.has(call)) return false;
      answered.add(call);
    }
    if (answered.size < parts.length) return false;
    for (const call of answered) this.#open.delete(call);
    return true;
  }

  /** Puts the response directly behind its call; returns false if something else was said since the call. */
  #answerInPlace(part: Part, response: FunctionResponse): boolean {
    const call = this.#callOf(response);
    if (call === undefined) return false;
    const at = call.index + 1;
    const behind = this.#contents[at];
    const isLate = at < this.#contents.length - 1 || (behind !== undefined && !holdsResponses(behind));
    if (isLate) {
      if (this.#open.has(call)) this.#answeredLate.add(call);
      return false;
    }
    this.#open.delete(call);
    const own = response.id === call.id ? part : { ...part, functionResponse: { ...response, id: call.id } };
    if (behind === undefined) this.#add({ role: "user", parts: [own] });
    else this.#contents[at] = withResponse(behind, own);
    return true;
  }

  /** Not if the call is one of a parallel agent, and not if there was no such call. */
  #mayReport({ id = "", name }: FunctionResponse): boolean {
    if (isReservedCall(name)) return false;
    return this.#calls.has(id) || (this.#others.get(id) ?? this.#hasSummary);
  }

  /** A response without an id belongs to the first open call of its name. */
  #callOf({ id = "", name }: FunctionResponse): Call | undefined {
    if (id !== "") return this.#calls.get(id);
    for (const call of this.#open) if (call.name === name) return call;
    return undefined;
  }

  #filledIn(call: Call): Part {
    const { id, name } = call;
    const isPending = call.longRunning || this.#answeredLate.has(call);
    const response: JsonObject = isPending ? { status: "pending", message: PENDING } : { error: UNKNOWN_OUTCOME };
    return { functionResponse: { id, name, response } };
  }
}

/** Describes a late response in words; what it carries besides, such as an image, follows. */
function describeResponse({ name = "a tool", response = {}, parts = [] }: FunctionResponse): readonly Part[] {
  return [{ text: `The tool \`${name}\`, called earlier, now answers: ${JSON.stringify(response)}` }, ...parts];
}

function holdsResponses(content: Content): boolean {
  return content.parts?.[0]?.functionResponse !== undefined;
}

/** The newest response of an id replaces the earlier one. */
function withResponse(content: Content, part: Part): Content {
  const parts = [...(content.parts ?? [])];
  const at = parts.findIndex((known) => known.functionResponse?.id === part.functionResponse?.id);
  if (at === -1) parts.push(part);
  else parts[at] = part;
  return { ...content, parts };
}

function isVisible(event: Event, viewer: Viewer): boolean {
  const parts = event.content?.parts;
  if (parts?.some(hasContent) !== true || parts.every(isFrameworkExchange)) return false;
  return seesBranch(viewer.branch, event.branch);
}

function hasContent(part: Part): boolean {
  if (part.thoughtSignature !== undefined) return true;
  if (part.thought === true) return false;
  return part.text === undefined || part.text.trim() !== "";
}

function isFrameworkExchange(part: Part): boolean {
  return isReservedCall(part.functionCall?.name) || isReservedCall(part.functionResponse?.name);
}

/** Adds what was spoken on a live connection: it is part of the conversation. */
function withTranscript(event: Event): Event {
  const content = saidContent(event);
  return content === undefined ? event : { ...event, content };
}
