import type { SessionKey } from "#kit/sessions/session.ts";

/** The part of an event on the wire that the checks use. */
export interface WireEvent {
  readonly id: string;
  readonly author: string;
  readonly branch?: string;
  readonly invocationId: string;
  readonly partial?: boolean;
  readonly errorCode?: string;
  readonly content?: {
    readonly parts?: readonly {
      readonly text?: string;
      readonly functionCall?: { readonly name: string };
      readonly functionResponse?: { readonly name: string; readonly response?: Readonly<Record<string, unknown>> };
    }[];
  };
  readonly actions?: { readonly stateDelta?: Readonly<Record<string, unknown>> };
}

/** What a reader of a stream got, in order. */
export type Frame = { readonly at: number } & (
  | { readonly kind: "connect"; readonly after?: string }
  | { readonly kind: "event"; readonly event: WireEvent; readonly cursor?: string }
  | { readonly kind: "attempt"; readonly attempt: number }
  | { readonly kind: "resync" }
  | { readonly kind: "error"; readonly reason: string }
  | { readonly kind: "end"; readonly status: string }
);

/** One request of a client, with everything that it got. Times are monotonic milliseconds. */
export interface Observation {
  readonly session: SessionKey;
  readonly path: string;
  readonly tag: string;
  readonly startedAt: number;
  endedAt?: number;
  runId?: string;
  status?: number;
  /** Reason of an error body, or how the connection failed. */
  reason?: string;
  /** The events with which `/run` answered. */
  answer?: readonly WireEvent[];
  readonly frames: Frame[];
  /** All bytes of the answers, as text. */
  text: string;
}

/** All requests and answers of the clients of one test. */
export class Recorder {
  readonly observations: Observation[] = [];
  readonly #sessions = new Map<string, SessionKey>();
  readonly #deleted = new Set<string>();

  begin(session: SessionKey, path: string, tag: string): Observation {
    const observation: Observation = { session, path, tag, startedAt: performance.now(), frames: [], text: "" };
    this.observations.push(observation);
    return observation;
  }

  addSession(session: SessionKey): void {
    this.#sessions.set(session.id, session);
  }

  deleteSession({ id }: SessionKey): void {
    this.#deleted.add(id);
  }

  get sessions(): readonly SessionKey[] {
    return [...this.#sessions.values()].filter(({ id }) => !this.#deleted.has(id));
  }
}

/** The chunks of a text that a stream has had since the newest complete event. */
export function textOf({ content }: WireEvent): string {
  return (content?.parts ?? []).map(({ text }) => text ?? "").join("");
}
