import type { FastifyReply } from "fastify";
import { toPlatformError } from "#kit/errors/platform-error.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "./deps.ts";
import { createSessionSink, errorFrame, namedFrame } from "./frames.ts";
import { relaySession } from "./relay-session.ts";
import type { SessionPosition } from "./session-cursor.ts";
import { SseStream } from "./sse.ts";

export interface SessionStreamCall {
  readonly session: SessionKey;
  readonly after: SessionPosition;
  /** Aborted when the server is about to stop: readers are told to come back elsewhere. */
  readonly closing: AbortSignal;
}

/** Answers a request with the events of all runs of a session, until the session is deleted, the client is gone or the server stops. */
export async function streamSession(deps: GatewayDeps, reply: FastifyReply, call: SessionStreamCall): Promise<void> {
  const { config, logger, clock } = deps;
  const { session, after, closing } = call;
  const controller = new AbortController();
  const close = (): void => controller.abort();
  const stream = new SseStream(reply, {
    heartbeatMs: config.SSE_HEARTBEAT_MS,
    stallMs: config.SSE_STALL_MS,
    headers: {},
    onGone: (why) => {
      controller.abort();
      if (why === "stalled")
        logger.warn({ sessionId: session.id }, "stream cut off: its reader took nothing for too long");
    },
  });
  closing.addEventListener("abort", close, { once: true });
  if (closing.aborted) close();
  const sink = createSessionSink(stream);
  try {
    await relaySession(deps, { session, after, signal: controller.signal, sink });
    if (closing.aborted) await stream.write(namedFrame("reconnect", {}));
  } catch (thrown) {
    // The head is out: only the stream itself can still say it.
    const error = toPlatformError(thrown);
    if (error.httpStatus >= 500) logger.error({ sessionId: session.id, error: thrown }, "stream failed");
    await sink.flush();
    await stream.write(errorFrame(error, clock.now()) + namedFrame("end", { reason: error.reason }));
  }
  closing.removeEventListener("abort", close);
  stream.end();
}
