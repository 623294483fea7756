import { PlatformError } from "#kit/errors/platform-error.ts";
import { boundedResponse } from "#kit/outbound-http/bounded-fetch.ts";
import { readyRequest } from "#kit/outbound-http/ready-request.ts";
import { redirected, refusedRedirect } from "#kit/outbound-http/redirected.ts";
import { publishExchange } from "./exchange-channel.ts";

const MIB = 1024 * 1024;
/** The longest answers of models are texts of some MB, and images of some ten MB in one event. */
const LIMITS = { maxAnswerBytes: 32 * MIB, maxStreamBytes: 128 * MIB, maxEventBytes: 32 * MIB, tooLarge };
/** Only the beginning of an error's text is ever shown. */
const FAILURE_LIMITS = { ...LIMITS, maxAnswerBytes: MIB, maxStreamBytes: MIB, maxEventBytes: MIB };
const MAX_REDIRECTS = 3;

/**
 * The `fetch` for the SDKs of model providers: answers are bounded before an SDK decodes them, and redirects are followed
 * within the provider's origin only, because another origin would receive the prompt and the key. Throws
 * `OUTBOUND_REDIRECT_REFUSED`; reading the answer throws `MODEL_ANSWER_TOO_LARGE`. The kit's models use it; providers of
 * the AI SDK take it as an option: `createOpenAI({ fetch: providerFetch })`.
 */
export const providerFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await publishExchange(fetchWithinOrigin, input, init);
  return boundedResponse(response, response.ok ? LIMITS : FAILURE_LIMITS);
};

async function fetchWithinOrigin(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  let response = await globalThis.fetch(input, { ...init, redirect: "manual" });
  if (response.status < 300 || response.status > 399) return response;
  const first = new URL(input instanceof Request ? input.url : input);
  let url = first;
  let request = await readyRequest(input instanceof Request ? new Request(input, init) : init);
  for (let followed = 0; ; followed += 1) {
    if (!response.headers.has("location")) return response;
    await response.body?.cancel();
    const next = redirected(url, request, response);
    if (next === undefined) return response;
    if (next.url.origin !== first.origin) throw refusedRedirect(url, "it redirects a prompt to another origin");
    if (followed === MAX_REDIRECTS) throw refusedRedirect(url, "it redirects too often");
    ({ url, request } = next);
    const { method, headers, body = null } = request;
    response = await globalThis.fetch(url, { ...init, method, headers, body, redirect: "manual" });
  }
}

function tooLarge(problem: string): PlatformError {
  return new PlatformError("MODEL_ANSWER_TOO_LARGE", `The answer of the model's provider ${problem}.`);
}
