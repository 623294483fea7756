/**
 * A file of exchanges with models' providers: JSON lines, the first of which is the `head`. A request has a line when it
 * is sent, and its answer another one when it has ended, so that a file of a program that was killed can be read.
 */
export type WireLine = WireHead | WireRequestLine | WireAnswerLine;

export interface WireHead {
  readonly format: "fairlead-wire";
  readonly version: 1;
  readonly fairlead: string;
  readonly node: string;
}

export interface WireRequestLine {
  readonly exchange: number;
  readonly sentAt: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: WireChunk;
  };
}

export interface WireAnswerLine {
  readonly exchange: number;
  readonly endedAt: string;
  readonly answer: WireAnswer;
}

export interface WireAnswer {
  /** Absent if the provider has not answered. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it came, each element what one read has returned; whole events if a secret was removed from it. */
  readonly chunks: readonly WireChunk[];
  /** `left`: the reader has ended it. `too long`: the rest is not recorded. */
  readonly end: "whole" | "left" | "failed" | "too long";
  readonly error?: string;
}

/** Bytes that are not UTF-8 in themselves are in base64. */
export type WireChunk = string | { readonly base64: string };

export function bytesOfChunk(chunk: WireChunk): Buffer {
  return typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.base64, "base64");
}
