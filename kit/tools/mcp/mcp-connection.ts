import type {
  Client,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  RequestOptions,
} from "@modelcontextprotocol/client";
import { withinTime } from "#kit/outbound-http/within-time.ts";
import type { ConnectionState } from "./transport/connection-state.ts";
import type { LeftOutEntry } from "./transport/leave-out-entries.ts";

/** The handlers of requests that a server of an earlier protocol may make while it handles a call. */
export interface CallInProgress {
  elicit(params: ElicitRequestParams): ElicitResult | Promise<ElicitResult>;
  sample(params: CreateMessageRequestParams): Promise<CreateMessageResult>;
}

interface ConnectionOptions {
  readonly requestMs: number;
  readonly allowSampling: boolean;
  /** Ends the server's session, if the protocol has one. */
  readonly endSession?: () => Promise<void>;
  /** The server's session is its stream of events: the connection ends with the stream. */
  readonly endsWithStream?: boolean;
  /** After a request without an answer, the server is asked whether it still responds: its process may have state. */
  readonly isProcess?: boolean;
}

/** Entries that are reported as left out. */
const MAX_LEFT_OUT = 100;
/** How long the end of a session may delay the end of its connection. */
const END_MS = 2000;
/** How long a server may take to respond after a request without an answer. */
const PING_MS = 2000;

/**
 * An open connection to a server. It handles one call at a time, so that each question of the server belongs to that
 * call.
 */
export class McpConnection {
  readonly client: Client;
  readonly #requestMs: number;
  readonly #endSession: (() => Promise<void>) | undefined;
  readonly #isProcess: boolean;
  #isOpen = true;
  #leftOut: LeftOutEntry[] = [];
  #call: CallInProgress | undefined;

  constructor(client: Client, options: ConnectionOptions) {
    const { requestMs, allowSampling, endSession, endsWithStream = false, isProcess = false } = options;
    this.client = client;
    this.#requestMs = requestMs;
    this.#endSession = endSession;
    this.#isProcess = isProcess;
    client.onclose = () => {
      this.#isOpen = false;
    };
    // Failures of the transport reject the requests that they concern, but for that of a stream of events: the SDK opens
    // another, whose session knows nothing of the handshake.
    client.onerror = (error) => {
      if (endsWithStream && error.name === "SseError") void this.close();
    };
    client.setRequestHandler("roots/list", () => ({ roots: [] }));
    client.setRequestHandler("elicitation/create", ({ params }) => this.#call?.elicit(params) ?? { action: "decline" });
    if (!allowSampling) return;
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      if (this.#call === undefined) throw new Error("The server may only sample while it handles a call.");
      return this.#call.sample(params);
    });
  }

  /** Notes an entry that was taken out of a list of the server. */
  leaveOut(entry: LeftOutEntry): void {
    if (this.#leftOut.length < MAX_LEFT_OUT) this.#leftOut.push(entry);
  }

  /** The entries that were taken out of answers since the last call of this method. */
  takeLeftOut(): readonly LeftOutEntry[] {
    const taken = this.#leftOut;
    this.#leftOut = [];
    return taken;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the server speaks the protocol of 2026-07-28 or a later one. */
  get isModern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  /** The options of one request: its deadline starts again with each notice of progress. */
  readonly requestOptions = (signal: AbortSignal): RequestOptions => ({
    signal,
    timeout: this.#requestMs,
    resetTimeoutOnProgress: true,
  });

  /** Runs the work while the call answers what the server asks. */
  async during<Result>(call: CallInProgress, work: () => Promise<Result>): Promise<Result> {
    this.#call = call;
    try {
      return await work();
    } finally {
      this.#call = undefined;
    }
  }

  /**
   * Closes the connection after a failed request if another request would fail for the same cause. Never throws.
   */
  async settle(state: ConnectionState): Promise<void> {
    if (state === "usable" || (state === "doubtful" && this.#isProcess && (await this.#responds()))) return;
    // The failed request does not wait for the end of the session.
    void this.close();
  }

  async #responds(): Promise<boolean> {
    try {
      await this.client.ping({ timeout: PING_MS });
      return true;
    } catch {
      // The process is stuck or gone, or speaks the protocol without pings, which has no sessions: it is started again.
      return false;
    }
  }

  /** Never throws. */
  async close(): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    try {
      const ended = wasOpen ? this.#endSession?.() : undefined;
      if (ended !== undefined) await withinTime(ended, END_MS, "The MCP server").catch(() => undefined);
      await this.client.close();
    } catch {
      // The connection is not used again, so a failure to close it has no effect.
    }
  }
}
