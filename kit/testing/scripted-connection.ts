import type { Content } from "../events/content.ts";
import type { BaseLlmConnection, ConnectOptions, RealtimeInput } from "../models/base-llm-connection.ts";
import type { LlmResponse } from "../models/llm-response.ts";
import type { RecordedRequest } from "./recorded-request.ts";

/** The input that the model got over a live connection, in order. */
export type LiveSent =
  | { readonly kind: "history"; readonly history: readonly Content[] }
  | { readonly kind: "content"; readonly content: Content; readonly turnComplete?: false }
  | { readonly kind: "realtime"; readonly input: RealtimeInput }
  | { readonly kind: "close" };

/** A live model's answer to one turn: responses in order; an error ends the connection with it. */
export type LiveTurn = readonly (LlmResponse | Error)[];

/**
 * A live connection for tests: answers each turn of the user, and each response to a call, with the next turn of its
 * script, and records its input. After the last turn it is silent until it is closed, or ends the connection if
 * `hangsUp` is set.
 */
export class ScriptedConnection implements BaseLlmConnection {
  /** Whether it was opened with the handle of an earlier connection, which the scripted model always accepts. */
  readonly resumed: boolean;
  readonly sent: LiveSent[] = [];
  /** The number of sends that are not settled; a test sets it. */
  unsettled?: number;
  readonly config: ConnectOptions["config"];
  /** The request with which the connection was opened. */
  readonly request: RecordedRequest;
  readonly #turns: LiveTurn[];
  readonly #hangsUp: boolean;
  readonly #ready: (LlmResponse | Error)[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(
    turns: readonly LiveTurn[],
    { config, signal, resumption }: ConnectOptions,
    { request, hangsUp }: { readonly request: RecordedRequest; readonly hangsUp: boolean },
  ) {
    this.config = config;
    this.resumed = resumption !== undefined;
    this.request = request;
    this.#turns = [...turns];
    this.#hangsUp = hangsUp;
    signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  async sendHistory(history: readonly Content[]): Promise<void> {
    this.sent.push({ kind: "history", history: structuredClone(history) });
    if (history.at(-1)?.role === "user") this.#takeTurn();
  }

  async sendContent(
    content: Content,
    { turnComplete = true }: { readonly turnComplete?: boolean } = {},
  ): Promise<void> {
    if (!turnComplete) {
      this.sent.push({ kind: "content", content, turnComplete });
      return;
    }
    this.sent.push({ kind: "content", content });
    this.#takeTurn();
  }

  async sendRealtime(input: RealtimeInput): Promise<void> {
    this.sent.push({ kind: "realtime", input });
  }

  async *receive(): AsyncGenerator<LlmResponse> {
    for (;;) {
      const item = this.#ready.shift();
      if (item instanceof Error) throw item;
      if (item !== undefined) yield item;
      else if (this.#closed) return;
      else await this.#change();
    }
  }

  /** The model says this now, whatever its script. */
  say(...responses: LiveTurn): void {
    this.#ready.push(...responses);
    this.#wake?.();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.sent.push({ kind: "close" });
    this.#end();
  }

  #takeTurn(): void {
    const turn = this.#turns.shift();
    if (turn !== undefined) this.#ready.push(...turn);
    if (this.#turns.length === 0 && this.#hangsUp) this.#closed = true;
    this.#wake?.();
  }

  #end(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await promise;
  }
}
