import { channel } from "node:diagnostics_channel";
import { readyRequest } from "#kit/outbound-http/ready-request.ts";

/** One step of an exchange with a model's provider, with its credentials. */
export type ExchangeStep =
  | { readonly kind: "request"; readonly exchange: object; readonly url: string; readonly request: SentRequest }
  | { readonly kind: "answer"; readonly exchange: object; readonly status: number; readonly headers: Headers }
  /** Bytes of the answer as they came. */
  | { readonly kind: "bytes"; readonly exchange: object; readonly bytes: Uint8Array }
  /** The answer is complete, or its reader has left. */
  | { readonly kind: "end"; readonly exchange: object; readonly isWhole: boolean }
  | { readonly kind: "failure"; readonly exchange: object; readonly error: unknown };

export interface SentRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/**
 * Where `providerFetch` publishes what it sends and receives, for programs that record it. A channel of Node: as long as
 * nobody subscribes, nothing is published and nothing is copied. Subscribers must not throw.
 */
export const EXCHANGES = "fairlead:models:exchange";

const exchanges = channel(EXCHANGES);

type FetchParameters = Parameters<typeof globalThis.fetch>;

/** Sends the request, and publishes the exchange if there is a subscriber. */
export async function publishExchange(
  send: typeof globalThis.fetch,
  input: FetchParameters[0],
  init: RequestInit | undefined,
): Promise<Response> {
  if (!exchanges.hasSubscribers) return send(input, init);
  const exchange = {};
  const publish = (step: ExchangeStep): void => exchanges.publish(step);
  const given = input instanceof Request ? new Request(input.clone(), init) : init;
  const url = input instanceof Request ? input.url : String(input);
  publish({ kind: "request", exchange, url, request: await sentRequest(given) });
  try {
    const response = await send(input, init);
    publish({ kind: "answer", exchange, status: response.status, headers: response.headers });
    return published(response, exchange, publish);
  } catch (error) {
    publish({ kind: "failure", exchange, error });
    throw error;
  }
}

/** A body that can be read once only is left to the request. */
async function sentRequest(init: RequestInit | Request = {}): Promise<SentRequest> {
  const { method = "GET", headers, body } = init;
  if (body instanceof ReadableStream && !(init instanceof Request))
    return { method, headers: new Headers(headers), body: undefined };
  return readyRequest(init);
}

function published(response: Response, exchange: object, publish: (step: ExchangeStep) => void): Response {
  if (response.body === null) {
    publish({ kind: "end", exchange, isWhole: true });
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            publish({ kind: "end", exchange, isWhole: true });
            controller.close();
          } else {
            publish({ kind: "bytes", exchange, bytes: value });
            controller.enqueue(value);
          }
        } catch (error) {
          publish({ kind: "failure", exchange, error });
          controller.error(error);
        }
      },
      cancel: (reason) => {
        publish({ kind: "end", exchange, isWhole: false });
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url });
}
