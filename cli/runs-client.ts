import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";
import { allPages } from "#kit/sessions/all-pages.ts";

/** A run as the HTTP API shows it. */
export interface WireRun {
  readonly runId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly status: string;
  readonly answeredBy?: string;
  readonly attempts: number;
  readonly epoch: number;
  readonly holder?: string;
  readonly createdTime: number;
  readonly startedTime?: number;
  readonly finishedTime?: number;
}

export interface RunsQuery {
  readonly appName?: string;
  readonly userId?: string;
  readonly sessionId?: string;
  readonly status?: string;
}

/** The server's largest page. */
const MAX_PAGE = 1000;
const TIMEOUT_MS = 30_000;

/**
 * Calls the run routes of a gateway. Throws `PlatformError` with the server's message, or if the server cannot be
 * reached.
 */
export class RunsClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `credentials` are an API key or a token, for a server that authenticates its callers. */
  constructor(url: string, credentials?: string) {
    this.#base = trimEndOf(url, "/");
    this.#headers = credentials ? { authorization: `Bearer ${credentials}` } : {};
  }

  /** Newest first. */
  async list(query: RunsQuery, limit: number): Promise<readonly WireRun[]> {
    const runs: WireRun[] = [];
    const pages = allPages(async (place) => {
      const pageSize = String(Math.min(MAX_PAGE, limit - runs.length));
      const search = new URLSearchParams({ ...query, pageSize, ...place });
      // The schema of the route's answer is part of the server's API description.
      return (await this.#call(`/v1/runs?${search}`)) as { runs: readonly WireRun[]; nextPageToken?: string };
    });
    for await (const page of pages) {
      runs.push(...page.runs);
      if (runs.length >= limit) break;
    }
    return runs;
  }

  async show(runId: string): Promise<WireRun> {
    return this.#run(runId, "", "GET");
  }

  async cancel(runId: string): Promise<WireRun> {
    return this.#run(runId, "/cancel", "POST");
  }

  async requeue(runId: string): Promise<WireRun> {
    return this.#run(runId, "/requeue", "POST");
  }

  async #run(runId: string, action: string, method: "GET" | "POST"): Promise<WireRun> {
    // The schema of the route's answer is part of the server's API description.
    return (await this.#call(`/v1/runs/${encodeURIComponent(runId)}${action}`, method)) as WireRun;
  }

  async #call(path: string, method = "GET"): Promise<unknown> {
    let response: Response;
    try {
      response = await fetch(this.#base + path, {
        method,
        headers: this.#headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (cause) {
      const message = `No answer from ${this.#base}: is the server running? Name another one with --url.`;
      throw new PlatformError("SERVICE_UNAVAILABLE", message, { cause });
    }
    const body: unknown = await response.json().catch(() => undefined);
    if (response.ok && typeof body === "object" && body !== null) return body;
    throw toError(response.status, body, this.#base);
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
