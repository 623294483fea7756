import { refersToInlineData } from "#kit/artifacts/inline-data.ts";
import { isToolBranch, seesBranch } from "#kit/events/branch.ts";
import type { Content, Part } from "#kit/events/content.ts";
import { changesPast, type Event, functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { type HistoryStart, NO_HISTORY_START } from "#kit/sessions/history-start.ts";
import { foldHistory, type HistorySlice, numbered, withoutRewound } from "./fold-history.ts";
import { PromptView, type Viewer } from "./prompt-view.ts";

interface KeptView {
  readonly view: PromptView;
  /** How many events the view contains. */
  readonly seen: number;
}

/** How many views are cached; the least recently used one is dropped and rebuilt when needed. */
const MAX_VIEWS = 16;

/**
 * A session's history as prompts: one view for each agent and branch, each extended with new events and rebuilt only
 * after a rewind or a summary.
 */
export class PromptHistory {
  readonly #events: readonly Event[];
  readonly #views = new Map<string, KeptView>();
  #scanned = 0;
  #refersToInlineData = false;
  #room = MAX_VIEWS;
  #historyStart: HistoryStart;

  /**
   * The list may grow and must not shrink. It begins with the events that `historyStart` asks for; with the session's
   * first event if absent.
   */
  constructor(events: readonly Event[], historyStart = NO_HISTORY_START) {
    this.#events = events;
    this.#historyStart = historyStart;
  }

  /** The sequences of the events: those of single earlier events, and the one from which on there are no gaps. */
  get historyStart(): HistoryStart {
    return this.#historyStart;
  }

  /** The current events, with their sequences. */
  slice(): HistorySlice {
    const { from, earlier } = this.#historyStart;
    return { events: this.#events.slice(), firstSequence: from, earlier };
  }

  /** Drops all views; call it after events were inserted before others. */
  restart(historyStart: HistoryStart): void {
    this.#historyStart = historyStart;
    this.#views.clear();
    this.#scanned = 0;
  }

  /** All contents that the viewer may see. */
  contents(viewer: Viewer): Content[] {
    const key = `${viewer.agentName}\n${viewer.branch ?? ""}`;
    const kept = this.#views.get(key) ?? { view: new PromptView(viewer), seen: 0 };
    const view = this.#advance(kept, viewer);
    this.#views.delete(key);
    this.#views.set(key, { view, seen: this.#events.length });
    if (this.#views.size > this.#room) this.#dropOldest();
    return view.contents();
  }

  /** Caches `count` more views until disposed of, for agents that run at the same time. */
  makeRoom(count: number): Disposable {
    this.#room += count;
    return {
      [Symbol.dispose]: () => {
        this.#room -= count;
        while (this.#views.size > this.#room) this.#dropOldest();
      },
    };
  }

  /** Whether any event refers to data that is stored outside of it because of its size. */
  get refersToInlineData(): boolean {
    for (; this.#scanned < this.#events.length; this.#scanned += 1) {
      this.#refersToInlineData ||= refersToInlineData(this.#events[this.#scanned]?.content);
    }
    return this.#refersToInlineData;
  }

  /** Only the current turn: from the newest event of the user, or of another agent, on. */
  currentTurn(viewer: Viewer): Content[] {
    const view = new PromptView(viewer);
    const start = this.#turnStart(viewer);
    const turn = this.#events.slice(start);
    // An answer may belong to a call of an earlier turn.
    const isAnswered = turn.some((event) => event.author === USER_AUTHOR && functionResponses(event).length > 0);
    for (const event of isAnswered ? this.#events.slice(0, start) : []) view.pass(event);
    for (const event of turn) view.push(event);
    return view.contents();
  }

  #advance({ view, seen }: KeptView, viewer: Viewer): PromptView {
    const added = this.#events.slice(seen);
    if (added.some(changesPast)) return viewOf(this.slice(), viewer);
    for (const event of added) view.push(event);
    return view;
  }

  #turnStart(viewer: Viewer): number {
    // Between the single earlier events, others are missing.
    const first = this.#historyStart.earlier.length;
    // Events before a rewind may have been rewound. Its own event has no content.
    const start = this.#events.findLastIndex((event) => isRewind(event) || startsTurn(event, viewer));
    return Math.max(start, first);
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

/**
 * Words of the user or of another agent; neither calls and their responses, nor the words with which an agent hands
 * over.
 */
function startsTurn({ author, branch, content, actions }: Event, viewer: Viewer): boolean {
  if (author === viewer.agentName || content === undefined || actions.transferToAgent !== undefined) return false;
  return seesBranch(viewer.branch, branch) && content.parts?.some(isCallOrResponse) !== true;
}

function isCallOrResponse({ functionCall, functionResponse }: Part): boolean {
  return functionCall !== undefined || functionResponse !== undefined;
}

/** Builds a view from all events: needed after a rewind or a summary, which are rare. */
function viewOf(history: HistorySlice, viewer: Viewer): PromptView {
  const view = new PromptView(viewer);
  // An agent that serves as a tool sees nothing of the conversation, so no summary of it either.
  const items = isToolBranch(viewer.branch) ? withoutRewound(numbered(history)) : foldHistory(history);
  for (const item of items) {
    if (item.kind === "event") view.push(item.event);
    else view.pushSummary(item.content);
  }
  return view;
}
