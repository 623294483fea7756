import type { Content, FunctionCall } from "#kit/events/content.ts";
import type { EventActions } from "#kit/events/event-actions.ts";

/** What the search needs of an event; events that hold none of the calls may lack content and actions. */
export interface CallEvent {
  readonly invocationId: string;
  readonly content?: Content | undefined;
  readonly actions?: Pick<EventActions, "rewindBeforeInvocationId"> | undefined;
  /** No run wrote it: its calls take no answers. */
  readonly outside?: true | undefined;
}

interface FoundCall {
  readonly invocationId: string;
  readonly call: FunctionCall;
  /** The number of events before its own. */
  readonly at: number;
}

/**
 * Finds the newest calls of some ids in a session's events, which are given in order. Calls that were rewound are not
 * found.
 */
export class CallSearch {
  readonly found = new Map<string, FoundCall>();
  readonly #wanted: ReadonlySet<string>;
  readonly #quoted: readonly string[];
  /** Where each invocation began. */
  readonly #starts = new Map<string, number>();
  #count = 0;

  constructor(wanted: ReadonlySet<string>) {
    this.#wanted = wanted;
    this.#quoted = [...wanted].map((id) => JSON.stringify(id));
  }

  get isComplete(): boolean {
    return this.found.size === this.#wanted.size;
  }

  /** Whether the event with this JSON has to be given with its content and actions. */
  mayConcern(json: string): boolean {
    return json.includes("rewindBeforeInvocationId") || this.#quoted.some((id) => json.includes(id));
  }

  take({ invocationId, content, actions, outside }: CallEvent): void {
    const at = this.#count++;
    if (!this.#starts.has(invocationId)) this.#starts.set(invocationId, at);
    for (const { functionCall: call } of outside === true ? [] : (content?.parts ?? []))
      if (call?.id !== undefined && this.#wanted.has(call.id)) this.found.set(call.id, { invocationId, call, at });
    const rewound = this.#starts.get(actions?.rewindBeforeInvocationId ?? "");
    if (rewound !== undefined) this.#forget(rewound);
  }

  #forget(from: number): void {
    for (const [invocationId, at] of this.#starts) if (at >= from) this.#starts.delete(invocationId);
    for (const [id, { at }] of this.found) if (at >= from) this.found.delete(id);
  }
}
