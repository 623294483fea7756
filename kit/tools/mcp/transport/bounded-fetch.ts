import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { isJsonObject } from "#kit/platform/json.ts";

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** Bytes of one answer; for a stream of events, of the whole stream. */
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** Ends the reading of an answer that is too long, so that a server cannot fill this process's memory. */
export function boundedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
    const counted = body.pipeThrough(countBytes(isStream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES));
    const bounded = new Response(counted, { status, statusText, headers });
    // A constructed response has no address, which the SDK reads after redirects.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

function countBytes(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let count = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      count += chunk.byteLength;
      if (count > maxBytes) controller.error(new RangeError(`The server's answer is longer than ${maxBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

/** Notes the credentials of each request, those of an `OAuthClientProvider` among them: the server may quote them. */
export function notingCredentials(fetch: Fetch, secrets: CallSecrets): Fetch {
  return (input, init) => {
    secrets.addSent(new Headers(init?.headers));
    return fetch(input, init);
  };
}

/** Leaves out the texts of an authorization server's refusals: the SDK prints them, and they may quote codes and tokens. */
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
    // The SDK reports an answer that is no JSON.
    return text;
  }
}

function withoutLength(headers: Headers): Headers {
  const rest = new Headers(headers);
  for (const name of ["content-length", "content-encoding"]) rest.delete(name);
  return rest;
}
