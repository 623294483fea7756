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
    // A response of our own has no address, which the SDK reads after redirects.
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
