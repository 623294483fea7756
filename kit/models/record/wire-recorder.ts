import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { closeSync, openSync, writeSync } from "node:fs";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { EXCHANGES, type ExchangeStep } from "#kit/models/bounds/exchange-channel.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { toIsoTime } from "#kit/platform/iso-time.ts";
import { Version } from "#kit/version.ts";
import { ExchangeRedaction } from "./exchange-redaction.ts";
import type { WireAnswer, WireLine } from "./wire-record.ts";

export interface WireRecorderOptions {
  /** A file that does not exist yet. */
  readonly path: string;
  /** Its secrets are removed from what is recorded. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Told once, if not everything can be recorded. */
  readonly onProblem: (problem: string) => void;
  /** Bytes of the whole file. */
  readonly maxBytes?: number;
}

const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 256 * MIB;
const MAX_BODY_BYTES = 16 * MIB;

interface OpenExchange {
  readonly number: number;
  readonly redaction: ExchangeRedaction;
  readonly chunks: Uint8Array[];
  bytes: number;
  answer: Pick<WireAnswer, "status" | "headers">;
}

/**
 * Writes what models' adapters send to providers and receive, without credentials, until it is disposed. Its file is
 * readable by the user alone. A problem of the file ends the record and not the program's work. Throws `INVALID_FIELD` if the
 * file exists or cannot be made.
 */
export class WireRecorder implements Disposable {
  readonly #options: WireRecorderOptions;
  readonly #exchanges = new Map<object, OpenExchange>();
  #file: number | undefined;
  #left: number;
  #count = 0;

  constructor(options: WireRecorderOptions) {
    this.#options = options;
    this.#left = options.maxBytes ?? MAX_FILE_BYTES;
    this.#file = openNew(options.path);
    subscribe(EXCHANGES, this.#take);
    this.#write({ format: "fairlead-wire", version: 1, fairlead: Version.FAIRLEAD_VERSION, node: process.version });
  }

  /** How many requests have been sent. */
  get count(): number {
    return this.#count;
  }

  /** The exchanges that have not ended are written as far as they came. */
  [Symbol.dispose](): void {
    unsubscribe(EXCHANGES, this.#take);
    for (const exchange of this.#exchanges.keys()) this.#finish(exchange, { end: "left" });
    this.#close();
  }

  /** A channel carries anything; this one carries steps. */
  readonly #take = (step: unknown): void => this.#record(step as ExchangeStep);

  #record(step: ExchangeStep): void {
    if (step.kind === "request") return this.#begin(step);
    const open = this.#exchanges.get(step.exchange);
    if (open === undefined) return;
    switch (step.kind) {
      case "answer":
        open.answer = { status: step.status, headers: open.redaction.headers(step.headers) };
        return;
      case "bytes":
        open.bytes += step.bytes.length;
        // The reader may pass the memory on.
        if (open.bytes <= MAX_BODY_BYTES) open.chunks.push(step.bytes.slice());
        return;
      case "end":
        return this.#finish(step.exchange, { end: step.isWhole ? "whole" : "left" });
      case "failure":
        return this.#finish(step.exchange, { end: "failed", error: open.redaction.error(step.error) });
      default:
        return step satisfies never;
    }
  }

  #begin({ exchange, url, request: { method, headers, body } }: Extract<ExchangeStep, { kind: "request" }>): void {
    const redaction = new ExchangeRedaction(url, headers, this.#options.environment);
    this.#count += 1;
    this.#exchanges.set(exchange, { number: this.#count, redaction, chunks: [], bytes: 0, answer: {} });
    const [content] = body === undefined || body.length > MAX_BODY_BYTES ? [] : redaction.chunks([body]);
    this.#write({
      exchange: this.#count,
      sentAt: toIsoTime(this.#options.clock.now()),
      request: {
        method,
        url: redaction.url(url),
        headers: redaction.headers(headers),
        ...(content !== undefined && { body: content }),
      },
    });
  }

  #finish(exchange: object, end: Pick<WireAnswer, "end" | "error">): void {
    const open = this.#exchanges.get(exchange);
    if (open === undefined) return;
    this.#exchanges.delete(exchange);
    const { number, redaction, chunks, bytes, answer } = open;
    this.#write({
      exchange: number,
      endedAt: toIsoTime(this.#options.clock.now()),
      answer: {
        ...answer,
        chunks: redaction.chunks(chunks),
        ...(bytes > MAX_BODY_BYTES ? { end: "too long" as const } : end),
      },
    });
  }

  #write(line: WireLine): void {
    if (this.#file === undefined) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    if (bytes.length > this.#left) return this.#giveUp("it has reached its greatest size");
    this.#left -= bytes.length;
    try {
      // Written at once: what a user reports is often how a program ended.
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#giveUp(error instanceof Error ? error.message : String(error));
    }
  }

  #giveUp(problem: string): void {
    this.#close();
    this.#options.onProblem(`${this.#options.path} has no further exchanges: ${problem}.`);
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: "exists already. Give a new file",
  EISDIR: "is a folder. Give a file in it",
  ENOENT: "is in a folder that does not exist",
  ENOTDIR: "is in something that is not a folder",
  EACCES: "is in a folder in which you may not write",
};

function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const problem = PROBLEMS[code] ?? `cannot be written: ${message}`;
    throw new PlatformError("INVALID_FIELD", `The record of the wire cannot be written: ${path} ${problem}.`, {
      details: { field: "path" },
      cause: error,
    });
  }
}
