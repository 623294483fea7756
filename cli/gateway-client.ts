import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";

const TIMEOUT_MS = 30_000;

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

  /** The body of the answer, an object or a list. */
  async call(path: string, method = "GET", options: CallOptions = {}): Promise<object> {
    const { body: given, headers, timeoutMs = TIMEOUT_MS } = options;
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: { ...this.#headers, ...headers, ...(given !== undefined && { "content-type": "application/json" }) },
        signal: AbortSignal.timeout(timeoutMs),
        ...(given !== undefined && { body: JSON.stringify(given) }),
      });
      text = await response.text();
    } catch (cause) {
      const message = `No answer from ${this.#base}: is the server running? Name another one with --url.`;
      throw new PlatformError("SERVICE_UNAVAILABLE", message, { cause });
    }
    const body = parsed(text);
    if (response.ok && typeof body === "object" && body !== null) return body;
    throw toError(response.status, body, this.#base);
  }

  /** The text of a long answer, as it arrives. */
  async *stream(path: string): AsyncGenerator<string, void, undefined> {
    let response: Response;
    try {
      response = await fetch(this.#base + path, { headers: this.#headers });
    } catch (cause) {
      const message = `No answer from ${this.#base}: is the server running? Name another one with --url.`;
      throw new PlatformError("SERVICE_UNAVAILABLE", message, { cause });
    }
    if (!response.ok || response.body === null)
      throw toError(response.status, parsed(await response.text()), this.#base);
    yield* response.body.pipeThrough(new TextDecoderStream());
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
    return new PlatformError("SERVICE_UNAVAILABLE", `${url} answers ${status} and is no Fairlead server.`);
  }
  // Own keys of the table are exactly the reasons.
  const isKnown = typeof reason === "string" && Object.hasOwn(ERROR_REASONS, reason);
  return new PlatformError(isKnown ? (reason as ErrorReason) : "INTERNAL", message);
}
