import { refersToInlineData } from "#kit/artifacts/inline-data.ts";
import { isToolBranch, seesBranch } from "#kit/events/branch.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { changesPast, type Event } from "#kit/events/event.ts";
import { type LoadBound, NO_LOAD_BOUND } from "#kit/sessions/load-bound.ts";
import { foldHistory, type HistorySlice, numbered, withoutRewound } from "./fold-history.ts";
import { PromptView, type Viewer } from "./prompt-view.ts";

interface KeptView {
  readonly view: PromptView;
  /** How many events the view has seen. */
  readonly seen: number;
}

/** Agents whose views are kept at once; the one used longest ago is built anew when needed. */
const MAX_VIEWS = 16;

/**
 * A session's history as prompts: one view for each agent and branch, each kept up and never rebuilt but for a rewind
 * or a summary.
 */
export class PromptHistory {
  readonly #events: readonly Event[];
  readonly #views = new Map<string, KeptView>();
  #lookedAt = 0;
  #refersToInlineData = false;
  #room = MAX_VIEWS;
  #places: LoadBound;

  /**
   * The list may grow, and only grow. It begins with what `places` asks for; with a session's first event when absent.
   */
  constructor(events: readonly Event[], places = NO_LOAD_BOUND) {
    this.#events = events;
    this.#places = places;
  }

  /** The sequences of the events: those that are here alone, and the one from which on all are here. */
  get places(): LoadBound {
    return this.#places;
  }

  /** The events as they are now, with their places. */
  slice(): HistorySlice {
    const { from, earlier } = this.#places;
    return { events: this.#events.slice(), firstSequence: from, earlier };
  }

  /** Begins anew after events were added before others. */
  restart(places: LoadBound): void {
    this.#places = places;
    this.#views.clear();
    this.#lookedAt = 0;
  }

  /** All that the viewer may see. */
  contents(viewer: Viewer): Content[] {
    const key = `${viewer.agentName}\n${viewer.branch ?? ""}`;
    const kept = this.#views.get(key) ?? { view: new PromptView(viewer), seen: 0 };
    const view = this.#advance(kept, viewer);
    this.#views.delete(key);
    this.#views.set(key, { view, seen: this.#events.length });
    if (this.#views.size > this.#room) this.#dropOldest();
    return view.contents();
  }

  /** Keeps that many more views, for agents that take turns at the same time, until disposed. */
  makeRoom(count: number): Disposable {
    this.#room += count;
    return {
      [Symbol.dispose]: () => {
        this.#room -= count;
        while (this.#views.size > this.#room) this.#dropOldest();
      },
    };
  }

  /** Whether any event names data that was too large to stay in it. */
  get refersToInlineData(): boolean {
    for (; this.#lookedAt < this.#events.length; this.#lookedAt += 1) {
      this.#refersToInlineData ||= refersToInlineData(this.#events[this.#lookedAt]?.content);
    }
    return this.#refersToInlineData;
  }

  /** Only the current turn: from the newest event of the user, or of another agent, on. */
  currentTurn(viewer: Viewer): Content[] {
    const view = new PromptView(viewer);
    for (const event of this.#events.slice(this.#turnStart(viewer))) view.push(event);
    return view.contents();
  }

  #advance({ view, seen }: KeptView, viewer: Viewer): PromptView {
    const added = this.#events.slice(seen);
    if (added.some(changesPast)) return viewOf(this.slice(), viewer);
    for (const event of added) view.push(event);
    return view;
  }

  #turnStart(viewer: Viewer): number {
    // Between events that are here alone, others are missing.
    const first = this.#places.earlier.length;
    const start = this.#events.findLastIndex(
      (event, index) => index <= first || isRewind(event) || startsTurn(event, viewer),
    );
    const event = this.#events[start];
    // What was said before a rewind may not count any more.
    return event !== undefined && start > first && isRewind(event) ? start + 1 : Math.max(start, first);
  }

  #dropOldest(): void {
    for (const key of this.#views.keys()) {
      this.#views.delete(key);
      return;
    }
  }
}

function isRewind({ actions }: Event): boolean {
  return actions.rewindBeforeInvocationId !== undefined;
}

/** Words of the user or of another agent; neither calls and their responses, nor the words with which an agent hands over. */
function startsTurn({ author, branch, content, actions }: Event, viewer: Viewer): boolean {
  if (author === viewer.agentName || content === undefined || actions.transferToAgent !== undefined) return false;
  return seesBranch(viewer.branch, branch) && content.parts?.some(isCallOrResponse) !== true;
}

function isCallOrResponse({ functionCall, functionResponse }: Part): boolean {
  return functionCall !== undefined || functionResponse !== undefined;
}

/** From all events at once: after a rewind or a summary, which are rare. */
function viewOf(history: HistorySlice, viewer: Viewer): PromptView {
  const view = new PromptView(viewer);
  // The work for a tool call sees nothing of the conversation, so no summary of it either.
  const items = isToolBranch(viewer.branch) ? withoutRewound(numbered(history)) : foldHistory(history);
  for (const item of items) {
    if (item.kind === "event") view.push(item.event);
    else view.pushSummary(item.content);
  }
  return view;
}
