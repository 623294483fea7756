import { backOffMs, pause, type RetryPolicy } from "./back-off.ts";
import { answerTimedOut, connectionLost, FairleadError, isTransient } from "./fairlead-error.ts";
import { errorOf, parseJson, readText } from "./read-body.ts";

export interface HttpSettings {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly headers: () => HeaderMap | Promise<HeaderMap>;
  readonly fetch: typeof fetch;
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
  readonly silenceMs: number;
}

/** Headers by their names. */
export type HeaderMap = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query. */
  readonly path: string;
  readonly headers?: HeaderMap;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** The request is sent once, because a repeat may have another effect than the first. */
  readonly once?: boolean;
}

export interface Answer<Value> {
  readonly value: Value;
  readonly headers: Headers;
}

/** A request as `fetch` takes it. */
export interface PreparedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderMap;
  readonly body: string | null;
}

/**
 * Sends requests, repeats those that failed before an answer arrived, and turns every failure into a `FairleadError`.
 */
export class HttpClient {
  readonly settings: HttpSettings;

  constructor(settings: HttpSettings) {
    this.settings = settings;
  }

  /** Like `send`, for what is only read. */
  get<Value>(path: string, signal: AbortSignal | undefined, read: (json: unknown) => Value): Promise<Value> {
    return this.send({ method: "GET", path, signal }, read);
  }

  /** The answer's JSON, read by `read`, which throws if it has another form. */
  async send<Value>(request: HttpRequest, read: (json: unknown) => Value): Promise<Value> {
    return (await this.sendForHeaders(request, read)).value;
  }

  async sendForHeaders<Value>(request: HttpRequest, read: (json: unknown) => Value): Promise<Answer<Value>> {
    const { retry, timeoutMs, maxAnswerBytes } = this.settings;
    for (let failures = 1; ; failures += 1) {
      const prepared = await this.prepare(request);
      const link = new Link(request.signal);
      let error: FairleadError;
      try {
        link.expectWithin(timeoutMs);
        const response = await this.open(prepared, link);
        const text = await link.guard(readText(response, maxAnswerBytes));
        return { value: read(parseJson(text, "The answer", response.status)), headers: response.headers };
      } catch (thrown) {
        if (request.once === true || failures >= retry.maxAttempts || !isTransient(thrown)) throw thrown;
        error = thrown;
      } finally {
        link.close();
      }
      await pause(this.delayMs(failures, error.retryAfterMs), request.signal);
    }
  }

  /** Reads the headers anew for each attempt, because they may have a token that expires. */
  async prepare({ method, path, headers = {}, body }: HttpRequest): Promise<PreparedRequest> {
    const { baseUrl, headers: given } = this.settings;
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const all = { accept: "application/json", ...type, ...headers, ...(await given()) };
    return { url: baseUrl + path, method, headers: all, body: body === undefined ? null : JSON.stringify(body) };
  }

  /** Sends the request once. Resolves with the answer's head if its status is a success. */
  async open({ url, ...init }: PreparedRequest, link: Link): Promise<Response> {
    const { maxAnswerBytes, fetch } = this.settings;
    const response = await link.guard(fetch(url, { ...init, signal: link.signal }));
    if (!response.ok) throw await link.guard(errorOf(response, maxAnswerBytes));
    return response;
  }

  /** The pause after so many failures in a row. */
  delayMs(failures: number, askedMs: number | undefined): number {
    return backOffMs(failures, this.settings.retry, { askedMs, random: Math.random });
  }
}

/**
 * The life of one request: it ends by the caller's signal, by a deadline, or when it is closed. `close` must be called,
 * because a signal of the caller may live longer than the request.
 */
export class Link {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted === true) this.#abort();
    outer?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the request after this time. Replaces the deadline before. */
  expectWithin(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(answerTimedOut(milliseconds)), milliseconds);
  }

  /** Removes the deadline. */
  expectNothing(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }

  /** Rejects with the signal's reason, with our own error, or with `CONNECTION_LOST`. */
  async guard<Value>(work: Promise<Value>): Promise<Value> {
    try {
      return await work;
    } catch (thrown) {
      if (this.signal.aborted) throw this.signal.reason;
      throw thrown instanceof FairleadError ? thrown : connectionLost(thrown);
    }
  }
}
