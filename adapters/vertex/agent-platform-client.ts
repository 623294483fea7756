import { PlatformError } from "#kit/errors/platform-error.ts";
import { getRetryDelay, RetryStrategy } from "#kit/models/error-mapper.ts";
import { retryHint } from "#kit/models/retry-hints.ts";
import { importOptional } from "#kit/optional-packages/optional-package.ts";
import type { OutboundAccess } from "#kit/outbound-http/outbound-access.ts";
import { systemClock } from "#kit/platform/clock.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { type Sleep, sleep } from "#kit/platform/sleep.ts";
import type { AgentPlatformOptions, RequestAuthentication } from "./agent-platform-options.ts";

/** One call of the REST interface, version v1beta1. */
export interface PlatformCall {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below the version: the name of a resource, a collection or a method. Its segments are checked by the caller. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: JsonObject;
  /**
   * Whether the call is sent again although the failed one can have had its effect: `always`, or after this function has
   * answered that it had none. Absent: GET, PATCH and DELETE are, POST only after an answer that says that it did nothing.
   */
  readonly repeat?: "always" | (() => Promise<boolean>);
}

/** The service refused a call, or did not answer. */
export class AgentPlatformError extends PlatformError {
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined;
  /** Milliseconds that the service asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number | undefined,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number | undefined },
  ) {
    const isWrong = status === 400 || status === 404;
    super(isWrong ? "INVALID_FIELD" : "STORE_UNAVAILABLE", message, { cause: options.cause });
    this.status = status;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function hasStatus(error: unknown, status: number): boolean {
  return error instanceof AgentPlatformError && error.status === status;
}

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const MAX_ERROR_CHARACTERS = 500;
const MAX_PAGES = 10_000;
const PAGE_SIZE = "100";
const LONGEST_RETRY_MS = 30_000;
const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = 5000;
/** The name becomes part of the address of requests with credentials. */
const OPERATION = /^(?:[\w-][\w.:-]*\/)+operations\/[\w-]+$/;
/** The answer for a call that had its effect before it was sent again. */
const DONE: JsonObject = { done: true };
/** Only these can pass with time. */
const TRANSIENT: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Calls Google's managed services for agents, through the checks and limits of `OutboundAccess`. */
export class AgentPlatformClient implements AsyncDisposable {
  readonly #baseUrl: string;
  readonly #options: AgentPlatformOptions;
  readonly #sleep: Sleep;
  #outbound: Promise<OutboundAccess> | undefined;
  #auth: Promise<RequestAuthentication> | undefined;

  constructor(baseUrl: string, options: AgentPlatformOptions) {
    this.#baseUrl = baseUrl;
    this.#options = options;
    this.#sleep = options.sleep ?? sleep;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#outbound)?.[Symbol.asyncDispose]();
  }

  /**
   * The answer's object. A throttled or failed call is sent again, with growing delays or after the time that the service
   * asks for. Throws `INVALID_FIELD` for what the service finds wrong or missing, and `STORE_UNAVAILABLE`.
   */
  async call(call: PlatformCall): Promise<JsonObject> {
    const { maxAttempts = 4 } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#send(call);
      } catch (error) {
        if (!(error instanceof AgentPlatformError) || attempt >= maxAttempts || !isTransient(error)) throw error;
        const delayMs = Math.max(
          error.retryAfterMs ?? 0,
          getRetryDelay(RetryStrategy.EXPONENTIAL_BACKOFF, attempt - 1),
        );
        if (delayMs > LONGEST_RETRY_MS || !isRepeatable(call, error)) throw error;
        await this.#sleep(delayMs);
        if (typeof call.repeat === "function" && error.status !== 429 && (await call.repeat())) return DONE;
      }
    }
  }

  /** Reads a resource; undefined if there is none. Throws as `call` does. */
  async find(path: string): Promise<JsonObject | undefined> {
    try {
      return await this.call({ method: "GET", path });
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Deletes a resource, if there is one, and waits until it is gone. Throws as `call` does. */
  async delete(path: string): Promise<void> {
    try {
      await this.complete(await this.call({ method: "DELETE", path }));
    } catch (error) {
      if (!hasStatus(error, 404)) throw error;
    }
  }

  /** The items of all pages of a list, under the name of the answer's member. Throws `OUTBOUND_RESPONSE_TOO_LARGE`. */
  async *list(
    call: Pick<PlatformCall, "path" | "query">,
    member: string,
  ): AsyncGenerator<readonly JsonObject[], void, undefined> {
    const { maxListBytes = 64 * 1024 * 1024 } = this.#options;
    let pageToken: string | undefined;
    let characters = 0;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const answer = await this.call({
        ...call,
        method: "GET",
        query: { pageSize: PAGE_SIZE, ...call.query, pageToken },
      });
      characters += JSON.stringify(answer).length;
      if (characters > maxListBytes) break;
      const items = answer[member];
      yield Array.isArray(items) ? items.filter(isJsonObject) : [];
      const next = answer["nextPageToken"];
      if (typeof next !== "string" || next === "") return;
      pageToken = next;
    }
    const problem = `The list ${call.path} has more than ${maxListBytes} bytes (maxListBytes) or ${MAX_PAGES} pages.`;
    throw new PlatformError("OUTBOUND_RESPONSE_TOO_LARGE", problem);
  }

  /** Waits until a long-running operation is done, and returns its response. Throws as `call` does. */
  async complete(started: JsonObject): Promise<JsonObject> {
    const { name } = started;
    const isDone = started["done"] === true;
    if (!isDone && (typeof name !== "string" || !OPERATION.test(name)))
      throw new AgentPlatformError(undefined, "The service began no operation that can be followed.", {});
    const { error, response } = isDone
      ? started
      : await this.poll(`The operation ${name}`, async () => {
          const operation = await this.call({ method: "GET", path: String(name) });
          return operation["done"] === true ? operation : undefined;
        });
    if (!isJsonObject(error)) return isJsonObject(response) ? response : {};
    const status = { 3: 400, 5: 404, 6: 409 }[Number(error["code"])] ?? 500;
    throw new AgentPlatformError(status, `The operation failed: ${messageOf({ error })}`, {});
  }

  /** Asks with growing waits until there is an answer. Throws `STORE_UNAVAILABLE` after the time for operations. */
  async poll<Answer>(
    what: string,
    ask: () => Promise<Answer | undefined>,
    timeoutMs = this.#options.operationTimeoutMs ?? 60_000,
  ): Promise<Answer> {
    let waitedMs = 0;
    for (let delayMs = FIRST_POLL_MS; waitedMs < timeoutMs; delayMs = Math.min(delayMs * 2, LONGEST_POLL_MS)) {
      await this.#sleep(delayMs);
      waitedMs += delayMs;
      const answer = await ask();
      if (answer !== undefined) return answer;
    }
    throw new AgentPlatformError(504, `${what} was not done after ${timeoutMs} ms.`, {});
  }

  async #send({ method, path, query = {}, body }: PlatformCall): Promise<JsonObject> {
    const url = new URL(`${this.#baseUrl}/${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const headers = await this.#headers(url.href);
    if (body !== undefined) headers.set("content-type", "application/json");
    let status: number;
    let text: string;
    let retryAfterMs: number | undefined;
    try {
      const outbound = await this.#access();
      const response = await outbound.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      status = response.status;
      text = await response.text();
      if (!response.ok) retryAfterMs = hintOf(response.headers, text);
    } catch (error) {
      // What is too large now stays too large.
      if (error instanceof PlatformError && error.reason === "OUTBOUND_RESPONSE_TOO_LARGE") throw error;
      throw new AgentPlatformError(undefined, `${url.host} cannot be reached, or did not answer in time.`, {
        cause: error,
      });
    }
    const answer = parsed(text);
    if (status >= 200 && status < 300 && isJsonObject(answer)) return answer;
    const said = isJsonObject(answer) ? messageOf(answer) : "its answer is not a JSON object";
    throw new AgentPlatformError(
      status < 300 ? undefined : status,
      `${url.host} answered ${method} ${path} with HTTP status ${status}: ${said}`,
      {
        retryAfterMs,
      },
    );
  }

  async #headers(url: string): Promise<Headers> {
    const { apiKey, apiEndpoint, auth, quotaProject } = this.#options;
    let headers = new Headers();
    if (apiKey !== undefined) headers.set("x-goog-api-key", apiKey);
    else if (auth !== undefined) headers = new Headers(await auth.getRequestHeaders(url));
    else if (apiEndpoint === undefined) headers = new Headers(await (await this.#environment()).getRequestHeaders(url));
    if (quotaProject !== undefined) headers.set("x-goog-user-project", quotaProject);
    return headers;
  }

  /** Loaded with the first call: programs import this module with all stores. */
  #access(): Promise<OutboundAccess> {
    const { apiEndpoint, timeoutMs, maxAnswerBytes: maxBytes } = this.#options;
    const allowedHosts = apiEndpoint === undefined ? [] : [new URL(apiEndpoint).host];
    this.#outbound ??= import("#kit/outbound-http/outbound-access.ts").then(({ createOutboundAccess }) =>
      createOutboundAccess({ allowedHosts, timeoutMs, maxBytes, maxRedirects: 0 }),
    );
    return this.#outbound;
  }

  #environment(): Promise<RequestAuthentication> {
    this.#auth ??= importOptional({
      name: "google-auth-library",
      user: "Managed sessions and memory",
      load: () => import("google-auth-library"),
    }).then(({ GoogleAuth }) => new GoogleAuth({ scopes: SCOPE }));
    return this.#auth;
  }
}

function isTransient({ status }: AgentPlatformError): boolean {
  return status === undefined || TRANSIENT.has(status);
}

/** A throttled call did nothing. Of other failures it is unknown. */
function isRepeatable({ method, repeat }: PlatformCall, { status }: AgentPlatformError): boolean {
  return method !== "POST" || repeat !== undefined || status === 429;
}

function hintOf(headers: Headers, text: string): number | undefined {
  const answer = parsed(text);
  const body = isJsonObject(answer) ? answer["error"] : undefined;
  return retryHint({ headers, body, message: "", now: systemClock.now() });
}

/** Google's errors have the form `{"error": {"message": …}}`. */
function messageOf(answer: JsonObject): string {
  const { error } = answer;
  const message = isJsonObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message.slice(0, MAX_ERROR_CHARACTERS) : "no message";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the caller as an answer that is not an object.
    return undefined;
  }
}
