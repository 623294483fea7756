import { readAllowedHosts } from "./allowed-hosts.ts";
import { checkUrl } from "./check-url.ts";
import { type AddressLookup, systemLookup } from "./checked-lookup.ts";
import { Connections } from "./connections.ts";
import { Deadline } from "./deadline.ts";
import { limitedResponse } from "./limited-response.ts";
import { readyRequest } from "./ready-request.ts";
import { redirected, refusedRedirect } from "./redirected.ts";

/** Limits for requests to addresses that a model, a user or another server has named. */
export interface OutboundAccessOptions {
  /** Hosts of the server's own network that may be called: `host`, `host:port`, `*.suffix`. None if absent. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The time limit of a request up to the end of its answer, in milliseconds; 30,000 if absent. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes of an answer's body, after decompression; 10 MiB if absent. */
  readonly maxBytes?: number | undefined;
  /** The most redirects that are followed; 3 if absent. */
  readonly maxRedirects?: number | undefined;
  /** The system's resolver if absent. */
  readonly lookup?: AddressLookup | undefined;
}

export interface OutboundRequest extends RequestInit {
  /**
   * The answer may be an event stream, which has no end: `timeoutMs` then ends with its headers, and `maxBytes` does not
   * count. The caller ends the stream by `signal`, and limits what it keeps. Other answers are limited as usual.
   */
  readonly acceptsEventStream?: boolean;
  /** The time limit of this request in milliseconds, instead of the common `timeoutMs`. */
  readonly timeoutMs?: number;
}

/**
 * Makes all requests to addresses that a model, a user or another server has named. Whoever creates it also disposes of
 * it.
 */
export interface OutboundAccess extends AsyncDisposable {
  /**
   * As the global `fetch`, with limits and without access to the server's own network. Every redirect is checked like
   * the first address; a redirect to another origin is followed without credentials, and is refused if it would carry a
   * body. Throws `OUTBOUND_ADDRESS_REFUSED`, `OUTBOUND_REDIRECT_REFUSED`, `OUTBOUND_TIMED_OUT` and `OUTBOUND_FAILED`;
   * reading the body also `OUTBOUND_RESPONSE_TOO_LARGE`. If the caller's signal aborts, its reason is thrown unchanged.
   */
  fetch(url: string | URL, init?: OutboundRequest): Promise<Response>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 10 * 1024 * 1024;
const DEFAULT_MAX_REDIRECTS = 3;

/** Opens no connection before the first request. Throws `CONFIGURATION` for a wrong entry of `allowedHosts`. */
export function createOutboundAccess(options: OutboundAccessOptions = {}): OutboundAccess {
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    maxBytes = DEFAULT_MAX_BYTES,
    maxRedirects = DEFAULT_MAX_REDIRECTS,
  } = options;
  const allowedHosts = readAllowedHosts(options.allowedHosts ?? []);
  const connections = new Connections({ lookup: options.lookup ?? systemLookup, allowedHosts, timeoutMs });
  return {
    fetch: async (input, init = {}) => {
      const { redirect = "follow", acceptsEventStream = false } = init;
      const deadline = new Deadline(init.timeoutMs ?? timeoutMs, init.signal ?? undefined);
      try {
        let url = checkUrl(input, allowedHosts);
        let request = await readyRequest(init);
        for (let followed = 0; ; followed += 1) {
          const response = await connections.send(url, request, deadline.signal);
          const next = redirect === "manual" ? undefined : redirected(url, request, response);
          if (next === undefined) return limitedResponse(response, { url, maxBytes, deadline, acceptsEventStream });
          await response.body?.cancel();
          if (redirect === "error" || followed === maxRedirects) throw refusedRedirect(url, "it redirects too often");
          url = checkUrl(next.url, allowedHosts);
          request = next.request;
        }
      } catch (error) {
        deadline.end();
        throw deadline.translate(error);
      }
    },
    [Symbol.asyncDispose]: () => connections.close(),
  };
}
