import type { JsonObject } from "#kit/platform/json.ts";
import type { Answer } from "./answer.ts";

/** An answer as a server puts it on the wire. */
export interface WrittenAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** One kind of server: how it writes an answer, and what it refuses. */
export interface Dialect {
  readonly name: string;
  readonly write: (answer: Answer, options: { readonly stream: boolean; readonly model: string }) => WrittenAnswer;
  /** The server's refusal of a request; undefined if it takes it. */
  readonly refuse?: (body: JsonObject) => Refusal | undefined;
  /** The name of a model that such a server has. */
  readonly model: string;
  readonly reports: {
    readonly thoughts: boolean;
    /** False: the server reports no token counts. */
    readonly usage: boolean;
    /** False: counts of thoughts are a part of the answer's. */
    readonly thoughtTokens: boolean;
    readonly cachedTokens: boolean;
    readonly ids: boolean;
    readonly signatures: boolean;
    /** False: an answer has one call at most. */
    readonly manyCalls: boolean;
  };
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** How events are written: by their own lines, with line ends, and what comes between them. */
export interface Framing {
  readonly lineEnd?: "\n" | "\r\n";
  /** No space behind `data:`. */
  readonly tight?: boolean;
  readonly comments?: string;
  /** Without the empty line between events. */
  readonly dense?: boolean;
  /** Events without data between the others, which keep the connection open. */
  readonly empty?: boolean;
  /** The last event, whatever the protocol. */
  readonly end?: string;
  /** The content type of streams, if it is not the usual one for events; of lines of JSON, or of a list. */
  readonly contentType?: string;
  readonly as?: "lines" | "list";
}

/** A stream of values as a server writes it. */
export function writtenStream(
  events: readonly (JsonObject | string)[],
  framing: Framing,
  named = false,
): WrittenAnswer {
  const { contentType = "text/event-stream", as } = framing;
  const values = events.filter((event) => typeof event !== "string");
  if (as === "list") return { contentType, body: JSON.stringify(values, undefined, 2) };
  if (as === "lines") return { contentType, body: values.map((value) => `${JSON.stringify(value)}\n`).join("") };
  return { contentType, body: eventsOf(events, framing, named) };
}

function eventsOf(
  events: readonly (JsonObject | string)[],
  { lineEnd = "\n", tight = false, comments, dense = false, empty = false, end }: Framing,
  named: boolean,
): string {
  return [...events, ...(end === undefined ? [] : [end])]
    .map((event) => {
      const name = named && typeof event !== "string" ? `event: ${String(event["type"])}${lineEnd}` : "";
      const data = typeof event === "string" ? event : JSON.stringify(event);
      const comment = comments === undefined ? "" : `: ${comments}${lineEnd}${lineEnd}`;
      const nothing = empty ? `data:${lineEnd}${lineEnd}` : "";
      return `${nothing}${comment}${name}data:${tight ? "" : " "}${data}${lineEnd}${dense ? "" : lineEnd}`;
    })
    .join("");
}
