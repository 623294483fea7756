import type { Response as Received } from "undici";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Deadline } from "./deadline.ts";

interface ResponseLimits {
  readonly url: URL;
  readonly maxBytes: number;
  readonly deadline: Deadline;
  readonly acceptsEventStream: boolean;
}

// A response with one of these statuses has no body.
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Converts the received answer to a standard `Response`, whose body fails with an error when a limit is exceeded. */
export function limitedResponse(received: Received, limits: ResponseLimits): Response {
  const { status, statusText } = received;
  const headers = new Headers([...received.headers]);
  const body = EMPTY.has(status) || received.body === null ? null : limitedBody(received, limits);
  if (body === null) limits.deadline.end();
  const response = new Response(body, { status, statusText, headers });
  return Object.defineProperty(response, "url", { value: limits.url.href });
}

function limitedBody(received: Received, limits: ResponseLimits): ReadableStream<Uint8Array> {
  const { deadline, acceptsEventStream } = limits;
  const isEndless = acceptsEventStream && isEventStream(received.headers.get("content-type"));
  if (isEndless) deadline.end();
  const maxBytes = isEndless ? Number.POSITIVE_INFINITY : limits.maxBytes;
  const reader = received.body?.getReader();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done = true, value } = (await reader?.read()) ?? {};
          bytes += value?.byteLength ?? 0;
          if (bytes > maxBytes) throw tooLarge(maxBytes);
          if (value !== undefined) controller.enqueue(value);
          if (!done) return;
          deadline.end();
          controller.close();
        } catch (error) {
          deadline.end();
          controller.error(deadline.translate(error));
          await reader?.cancel().catch(() => undefined);
        }
      },
      cancel: async () => {
        deadline.end();
        await reader?.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

function isEventStream(contentType: string | null): boolean {
  return contentType?.split(";")[0]?.trim().toLowerCase() === "text/event-stream";
}

function tooLarge(maxBytes: number): PlatformError {
  return new PlatformError("OUTBOUND_RESPONSE_TOO_LARGE", `The answer has more than ${maxBytes} bytes.`);
}
