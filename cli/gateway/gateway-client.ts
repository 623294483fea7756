import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { type SseFrame, sseFrames } from "./sse-frames.ts";

/** A command that calls a server. */
export interface ServerCommand {
  /** The arguments after the command's name. */
  readonly typed: readonly string[];
  /** The server if the arguments name none (FAIRLEAD_URL). */
  readonly defaultUrl: string | undefined;
  /** An API key or a token (FAIRLEAD_API_KEY); it has no flag, because other users of the machine see flags. */
  readonly credentials?: string | undefined;
}

const TIMEOUT_MS = 30_000;
/** Streams send a comment every 15 seconds by default. */
const SILENCE_MS = 60_000;

export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to wait for the answer; 30 seconds by default. */
  readonly timeoutMs?: number;
}

/**
 * Calls routes of a gateway. Throws `PlatformError` with the server's message, or if the server cannot be reached.
 */
export class GatewayClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `credentials` are an API key or a token, for a server that authenticates its callers. */
  constructor(url: string, credentials?: string) {
    this.#base = trimEndOf(url, "/");
    this.#headers = credentials ? { authorization: `Bearer ${credentials}` } : {};
  }

  /** The body of the answer, an object or a list; an empty object for null. */
  async call(path: string, method = "GET", options: CallOptions = {}): Promise<object> {
    const { body: given, headers, timeoutMs = TIMEOUT_MS } = options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: { ...this.#headers, ...headers, ...(given !== undefined && { "content-type": "application/json" }) },
        signal: AbortSignal.timeout(timeoutMs),
        body: given && JSON.stringify(given),
      });
      text = await response.text();
    } catch (cause) {
      throw this.#noAnswer(cause);
    }
    const body = parsed(text);
    // Some deletions answer null.
    if (response.ok && typeof body === "object") return body ?? {};
    throw toError(response.status, body, this.#base);
  }

  /** The text of a long answer, as it arrives. Throws as `call`. */
  async *text(path: string): AsyncGenerator<string, void, undefined> {
    const response = await fetch(this.#base + path, { headers: this.#headers }).catch((cause: unknown) => {
      throw this.#noAnswer(cause);
    });
    if (!response.ok || response.body === null)
      throw toError(response.status, parsed(await response.text()), this.#base);
    yield* response.body.pipeThrough(new TextDecoderStream());
  }

  /**
   * The server-sent events of one connection, from after the position. Ends when the server ends it. Throws as `call`,
   * also if nothing comes for a minute, and the signal's reason.
   */
  async *stream(path: string, after: string | undefined, signal: AbortSignal): AsyncGenerator<SseFrame> {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS);
    const headers = { ...this.#headers, ...(after !== undefined && { "last-event-id": after }) };
    try {
      const response = await fetch(this.#base + path, { headers, signal: AbortSignal.any([signal, silence.signal]) });
      if (!response.ok || response.body === null)
        throw toError(response.status, parsed(await response.text()), this.#base);
      const chunks = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
        new TransformStream<string, string>({
          transform: (chunk, controller) => {
            timer.refresh();
            controller.enqueue(chunk);
          },
        }),
      );
      yield* sseFrames(chunks);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof PlatformError ? error : this.#noAnswer(error);
    } finally {
      clearTimeout(timer);
      // Closes the connection of a reader that leaves.
      silence.abort();
    }
  }

  #noAnswer(cause: unknown): PlatformError {
    const message = `No answer from ${this.#base}: is the server running? Name another one with --url.`;
    return new PlatformError("SERVICE_UNAVAILABLE", message, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toError(status: number, body: unknown, url: string): PlatformError {
  // Each member is checked below.
  const { reason, message } = (body ?? {}) as { readonly reason?: unknown; readonly message?: unknown };
  if (typeof message !== "string") {
    return new PlatformError("SERVICE_UNAVAILABLE", `${url} answers ${status} and is not a Fairlead server.`);
  }
  // Own keys of the table are exactly the reasons.
  const isKnown = typeof reason === "string" && Object.hasOwn(ERROR_REASONS, reason);
  return new PlatformError(isKnown ? (reason as ErrorReason) : "INTERNAL", message);
}
