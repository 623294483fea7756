import { answerTooLarge, unexpectedAnswer } from "./fairlead-error.ts";
import { type HttpClient, type HttpRequest, Link } from "./http-client.ts";
import { type SseMessage, SseParser } from "./sse-parser.ts";

/** What one chunk of the connection contained; `messages` is empty for comments. */
export interface StreamBatch {
  readonly messages: readonly SseMessage[];
  /** The pause before reconnecting that the server asked for. */
  readonly retryMs: number | undefined;
}

/**
 * The server-sent events of one connection, in the batches in which they arrive. Ends when the server ends the answer.
 * Fails with a `FairleadError` if the connection fails, or if it is silent for `silenceMs`: the server sends a comment
 * every 15 seconds. Leaving the loop closes the connection.
 */
export async function* openEventStream(http: HttpClient, request: HttpRequest): AsyncGenerator<StreamBatch> {
  const { silenceMs, timeoutMs, maxAnswerBytes } = http.settings;
  const headers = { accept: "text/event-stream", ...request.headers };
  const prepared = await http.prepare({ ...request, headers });
  const link = new Link(request.signal);
  try {
    link.expectWithin(timeoutMs);
    const response = await http.open(prepared, link);
    const type = response.headers.get("content-type") ?? "none";
    if (!type.startsWith("text/event-stream"))
      throw unexpectedAnswer(`The answer's type is ${type}, not text/event-stream`, { status: response.status });
    const parser = new SseParser(maxAnswerBytes, () => answerTooLarge(maxAnswerBytes));
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    for (;;) {
      link.expectWithin(silenceMs);
      const { done, value } = await link.guard(reader.read());
      if (done) return;
      // The reader of the events may take any time.
      link.expectNothing();
      const before = parser.blocks;
      const messages = parser.push(value);
      if (parser.blocks > before) yield { messages, retryMs: parser.retryMs };
    }
  } finally {
    link.close();
  }
}
