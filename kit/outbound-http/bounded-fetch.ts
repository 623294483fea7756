import { type BlockLimits, TextBlocks } from "./text-blocks.ts";

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** What is read of one answer of another server. */
export interface AnswerLimits {
  /** Bytes of an answer that is not a stream. */
  readonly maxAnswerBytes: number;
  /** Bytes of a whole stream of events or lines. */
  readonly maxStreamBytes: number;
  /** Bytes of one event or line of a stream. */
  readonly maxEventBytes: number;
  /** The error for an answer beyond a limit; `problem` completes "The answer …". */
  readonly tooLarge: (problem: string) => Error;
}

/** An event of a stream may have several lines. Answers of JSON may have one line for each number of a vector. */
const MAX_LINES = 1_000_000;
const MAX_VALUES = 2_000_000;
/** Twice the tokens of the longest answers of today's models, which come one by one at most. */
const MAX_EVENTS = 250_000;
const STREAM = /^text\/event-stream$/;
const LINES = /^application\/(x-ndjson|jsonl|x-jsonlines|json-lines)$/;
const TEXT = /^(text\/.+|application\/(.+\+)?json|)$/;

/**
 * A `fetch` whose answers are bounded before an SDK reads them: their bytes are counted, and texts arrive in whole
 * events, so that a decoder does not read any byte twice. The body fails with `tooLarge` beyond a limit. A server
 * decides what its answer says and how it is cut, so this applies to answers of every type and status.
 */
export function boundedFetch(fetch: Fetch, limits: AnswerLimits): Fetch {
  return async (input, init) => boundedResponse(await fetch(input, init), limits);
}

export function boundedResponse(response: Response, limits: AnswerLimits): Response {
  const { body, status, statusText, headers, url } = response;
  if (body === null) return response;
  const bounded = new Response(boundedBody(body, headers.get("content-type"), limits), { status, statusText, headers });
  // A constructed response has no address, which SDKs read after redirects.
  return Object.defineProperty(bounded, "url", { value: url });
}

function boundedBody(
  body: ReadableStream<Uint8Array>,
  contentType: string | null,
  limits: AnswerLimits,
): ReadableStream<Uint8Array> {
  const mediaType = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  const isStream = STREAM.test(mediaType) || LINES.test(mediaType);
  const maxBytes = isStream ? limits.maxStreamBytes : limits.maxAnswerBytes;
  const maxBlockBytes = isStream ? limits.maxEventBytes : maxBytes;
  const limitsOfBlocks = { maxBytes: maxBlockBytes, maxLines: MAX_LINES, maxValues: MAX_VALUES, maxBlocks: MAX_EVENTS };
  const reader = body.getReader();
  const cutter = cutterFor(mediaType, limitsOfBlocks);
  let ready: readonly Uint8Array[] = [];
  let next = 0;
  let bytes = 0;
  let isAtEnd = false;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          while (next === ready.length && !isAtEnd) {
            const { done, value } = await reader.read();
            isAtEnd = done;
            bytes += value?.byteLength ?? 0;
            if (bytes > maxBytes) throw new RangeError(`has more than ${maxBytes} bytes`);
            ready = value === undefined ? lastOf(cutter) : cutter.add(value);
            next = 0;
          }
          const block = ready[next];
          next += 1;
          if (block === undefined) controller.close();
          else controller.enqueue(block);
        } catch (error) {
          controller.error(error instanceof RangeError ? limits.tooLarge(error.message) : error);
          await reader.cancel().catch(() => undefined);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

type Cutter = Pick<TextBlocks, "add" | "end">;

function cutterFor(mediaType: string, limits: BlockLimits): Cutter {
  if (LINES.test(mediaType)) return new TextBlocks("lines", limits);
  return TEXT.test(mediaType) ? new TextBlocks("events", limits) : UNCUT;
}

/** Answers that are not text, such as audio. */
const UNCUT: Cutter = { add: (chunk) => [chunk], end: () => undefined };

function lastOf(cutter: Cutter): readonly Uint8Array[] {
  const last = cutter.end();
  return last === undefined ? [] : [last];
}
