import type { JsonObject } from "#kit/platform/json.ts";
import type { Answer } from "./answer.ts";

/** An answer as a server puts it on the wire. */
export interface WrittenAnswer {
  readonly contentType: "text/event-stream" | "application/json";
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
}

export function eventsOf(
  events: readonly (JsonObject | string)[],
  { lineEnd = "\n", tight = false, comments, dense = false }: Framing,
  named = false,
): string {
  return events
    .map((event) => {
      const name = named && typeof event !== "string" ? `event: ${String(event["type"])}${lineEnd}` : "";
      const data = typeof event === "string" ? event : JSON.stringify(event);
      const comment = comments === undefined ? "" : `: ${comments}${lineEnd}${lineEnd}`;
      return `${comment}${name}data:${tight ? "" : " "}${data}${lineEnd}${dense ? "" : lineEnd}`;
    })
    .join("");
}
