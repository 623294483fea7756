import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { boundedFetch, type Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import { isJsonObject } from "#kit/platform/json.ts";

export type { Fetch };

const MIB = 1024 * 1024;
const LIMITS = { maxAnswerBytes: 10 * MIB, maxStreamBytes: 64 * MIB, maxEventBytes: 10 * MIB, tooLarge };

/** Ends the reading of an answer that is too long, so that a server cannot fill this process's memory. */
export function boundedServerFetch(fetch: Fetch): Fetch {
  return boundedFetch(fetch, LIMITS);
}

function tooLarge(problem: string): RangeError {
  return new RangeError(`The server's answer ${problem}.`);
}

/** Notes the credentials of each request, those of an `OAuthClientProvider` among them: the server may quote them. */
export function notingCredentials(fetch: Fetch, secrets: CallSecrets): Fetch {
  return (input, init) => {
    secrets.addSent(new Headers(init?.headers));
    return fetch(input, init);
  };
}

/**
 * Leaves out the texts of an authorization server's refusals: the SDK prints them, and they may quote codes and tokens.
 */
export function withoutDescriptions(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    if (response.ok || !isJson) return response;
    const { status, statusText, headers } = response;
    const text = await response.text();
    return new Response(described(text), { status, statusText, headers: withoutLength(headers) });
  };
}

function described(text: string): string {
  try {
    const answer: unknown = JSON.parse(text);
    if (!isJsonObject(answer) || typeof answer["error"] !== "string") return text;
    const { error_description: _, error_uri: __, ...rest } = answer;
    return JSON.stringify(rest);
  } catch {
    // The SDK reports an answer that is not JSON.
    return text;
  }
}

function withoutLength(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) rest.delete(name);
  return rest;
}
