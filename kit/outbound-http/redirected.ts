import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ReadyRequest } from "./ready-request.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The headers that are also sent to another origin. All others are removed, because any header can hold a credential,
 * such as an API key.
 */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  ...["accept", "accept-encoding", "accept-language", "range", "user-agent"],
]);

const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "content-language", "content-location"];

interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** The request that a redirect leads to, by the rules of `fetch`; undefined if the answer is not a redirect. */
export function redirected(
  from: URL,
  request: ReadyRequest,
  answer: Answer,
): { readonly url: URL; readonly request: ReadyRequest } | undefined {
  const location = REDIRECTS.has(answer.status) ? answer.headers.get("location") : null;
  if (location === null) return undefined;
  const url = URL.parse(location, from);
  if (url === null) throw refusedRedirect(from, "it redirects to no URL");
  if (from.protocol === "https:" && url.protocol !== "https:")
    throw refusedRedirect(from, "it redirects from https to another scheme");
  const next = becomesGet(answer.status, request.method) ? asGet(request) : request;
  if (url.origin === from.origin) return { url, request: next };
  if (next.body !== undefined) throw refusedRedirect(from, "it redirects a request with a body to another origin");
  const headers = [...next.headers].filter(([name]) => HARMLESS_HEADERS.has(name));
  return { url, request: { ...next, headers: new Headers(headers) } };
}

export function refusedRedirect({ host }: URL, problem: string): PlatformError {
  return new PlatformError("OUTBOUND_REDIRECT_REFUSED", `The answer of host "${host}" was refused: ${problem}.`, {
    details: { host },
  });
}

function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== "GET" && method !== "HEAD";
  return (status === 301 || status === 302) && method === "POST";
}

function asGet({ headers }: ReadyRequest): ReadyRequest {
  const rest = new Headers(headers);
  for (const name of BODY_HEADERS) rest.delete(name);
  return { method: "GET", headers: rest, body: undefined };
}
