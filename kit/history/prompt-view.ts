import { seesBranch } from "#kit/events/branch.ts";
import type { Content, FunctionResponse, Part } from "#kit/events/content.ts";
import { type Event, USER_AUTHOR } from "#kit/events/event.ts";
import { isReservedCall } from "#kit/events/reserved-calls.ts";
import { relayAgent } from "./relay-agent.ts";

const UNKNOWN_OUTCOME = "The call was interrupted before it answered; whether it took effect is unknown.";
const SUMMARY_LEAD_IN = "Summary of the conversation so far, in place of its older messages:";
const PENDING = "The call has not answered yet.";

/** The agent and branch whose view of the history is built. */
export interface Viewer {
  readonly agentName: string;
  readonly branch: string | undefined;
}

interface OpenCall {
  readonly index: number;
  readonly name: string;
  readonly longRunning: boolean;
}

/**
 * The contents that one agent sends to its model, extended as events arrive, so that a turn costs the same at any
 * length of history. Every call has exactly one response, directly after it: late responses are moved there, missing
 * ones are filled in as unknown, responses without a call are dropped. No method throws.
 */
export class PromptView {
  readonly #viewer: Viewer;
  readonly #contents: Content[] = [];
  /** Index of the content that holds each call of this agent. */
  readonly #calls = new Map<string, OpenCall>();
  readonly #open = new Map<string, OpenCall>();
  /** Set if the newest event was only a late response: the prompt ends with it, so that the model reacts to it. */
  #endsAt: number | undefined;
  /** Summarized calls are missing here, and may get another response later. */
  #hasSummary = false;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  push(event: Event): void {
    if (!isVisible(event, this.#viewer)) return;
    const content = event.content;
    if (content?.parts === undefined) return;
    this.#endsAt = undefined;
    if (event.author !== USER_AUTHOR && event.author !== this.#viewer.agentName) {
      const relayed = relayAgent(event);
      if (relayed !== undefined) this.#contents.push(relayed);
      return;
    }
    if (content.parts.some((part) => part.functionResponse !== undefined)) this.#pushResponses(content.parts);
    else this.#pushContent(event, content);
  }

  /**
   * Adds the summary that replaces the events before it. Its role is `user`, because models require that a conversation
   * begins with the user.
   */
  pushSummary(content: Content): void {
    this.#hasSummary = true;
    this.#contents.push({ role: "user", parts: [{ text: SUMMARY_LEAD_IN }, ...(content.parts ?? [])] });
  }

  /** The current contents; the caller may change the list, not its entries. */
  contents(): Content[] {
    return this.#closeCalls(this.#contents.slice(0, this.#endsAt));
  }

  #pushContent(event: Event, content: Content): void {
    const index = this.#contents.length;
    // Clients may leave the role out; model APIs require it.
    this.#contents.push(
      content.role === undefined ? { role: event.author === USER_AUTHOR ? "user" : "model", ...content } : content,
    );
    for (const { functionCall } of content.parts ?? []) {
      if (functionCall?.id === undefined) continue;
      const longRunning = event.longRunningToolIds?.includes(functionCall.id) === true;
      const call = { index, name: functionCall.name ?? "", longRunning };
      this.#calls.set(functionCall.id, call);
      this.#open.set(functionCall.id, call);
    }
  }

  #pushResponses(parts: readonly Part[]): void {
    if (this.#answersNewest(parts)) {
      this.#contents.push({ role: "user", parts });
      return;
    }
    const others: Part[] = [];
    for (const part of parts) {
      const call = part.functionResponse?.id === undefined ? undefined : this.#calls.get(part.functionResponse.id);
      if (part.functionResponse === undefined) others.push(part);
      else if (call !== undefined) this.#answer(call.index, part.functionResponse.id, part);
      else if (this.#hasSummary && !isReservedCall(part.functionResponse.name))
        others.push(describeResponse(part.functionResponse));
    }
    if (others.length === 0) return;
    this.#endsAt = undefined;
    this.#contents.push({ role: "user", parts: others });
  }

  /** Whether these are the first responses to calls of the newest content. Most are, and are appended unchanged. */
  #answersNewest(parts: readonly Part[]): boolean {
    const newest = this.#contents.length - 1;
    const ids = new Set<string>();
    for (const { functionResponse } of parts) {
      const id = functionResponse?.id;
      if (id === undefined || this.#open.get(id)?.index !== newest) return false;
      ids.add(id);
    }
    if (ids.size < parts.length) return false;
    for (const id of ids) this.#open.delete(id);
    return true;
  }

  #answer(callIndex: number, callId: string | undefined, part: Part): void {
    const at = callIndex + 1;
    const behind = this.#contents[at];
    const late = at < this.#contents.length - 1 || (behind !== undefined && !holdsResponses(behind));
    if (callId !== undefined) this.#open.delete(callId);
    if (behind !== undefined && holdsResponses(behind)) this.#contents[at] = withResponse(behind, part);
    else this.#insert(at, { role: "user", parts: [part] });
    this.#endsAt = late ? at + 1 : undefined;
  }

  #insert(at: number, content: Content): void {
    this.#contents.splice(at, 0, content);
    if (at === this.#contents.length - 1) return;
    for (const calls of [this.#calls, this.#open]) {
      for (const [id, call] of calls) if (call.index >= at) calls.set(id, { ...call, index: call.index + 1 });
    }
  }

  #closeCalls(contents: Content[]): Content[] {
    // From the back, so that an insertion does not move the calls before it.
    for (const [id, call] of [...this.#open].reverse()) {
      if (call.index >= contents.length) continue;
      const response = call.longRunning ? { status: "pending", message: PENDING } : { error: UNKNOWN_OUTCOME };
      const part: Part = { functionResponse: { id, name: call.name, response } };
      const behind = contents[call.index + 1];
      if (behind !== undefined && holdsResponses(behind)) contents[call.index + 1] = withResponse(behind, part);
      else contents.splice(call.index + 1, 0, { role: "user", parts: [part] });
    }
    return contents;
  }
}

/** Describes a further response to a call that only a summary contains. */
function describeResponse({ name = "a tool", response = {} }: FunctionResponse): Part {
  return { text: `The tool \`${name}\`, called earlier, now answers: ${JSON.stringify(response)}` };
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
