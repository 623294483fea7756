import type { FastifyReply } from "fastify";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { RunCursor } from "#ports/runs/run-stream.ts";
import { whenCallerEnds } from "../access/caller-end.ts";
import type { RouteDeps } from "../deps.ts";
import { answersOf } from "./answers-of.ts";
import { createFrameSink, endFrame, errorFrame, type StreamForm } from "./frames.ts";
import { relayRun, runFailure } from "./relay-run.ts";
import { SseStream } from "./sse.ts";

export interface StreamCall {
  readonly run: RunRecord;
  readonly after?: RunCursor | undefined;
  readonly form: StreamForm;
  /** Called when the client has left before the end. */
  readonly onGone?: () => void;
}

/** Answers a request with the run's events as server-sent events, until the run ends or the client leaves. */
export async function streamRun(deps: RouteDeps, reply: FastifyReply, call: StreamCall): Promise<void> {
  const { config, logger, clock } = deps;
  const { run, after, form } = call;
  const named = form === "named";
  const controller = new AbortController();
  const answers = answersOf(deps, reply.request);
  const stream = new SseStream(reply, {
    answers,
    heartbeatMs: config.SSE_HEARTBEAT_MS,
    heartbeat: form === "plain" ? "spaces" : "comment",
    stallMs: config.SSE_STALL_MS,
    headers: { "x-run-id": run.runId },
    onGone: (why) => {
      controller.abort();
      if (why === "stalled") logger.warn({ runId: run.runId }, "stream cut off: its reader took nothing for too long");
      call.onGone?.();
    },
  });
  whenCallerEnds(reply, deps, () => {
    // Clients of the platform's own streams reconnect after a stream without an end, and then send new credentials.
    stream.endWith(named ? "" : errorFrame(credentialsExpired(run), clock.now()));
    controller.abort();
    call.onGone?.();
  });
  try {
    const sink = createFrameSink(stream, { form, answers, artifactService: deps.artifactService });
    const end = await relayRun(deps, { run, controller, sink, after, answers });
    const failure = end === undefined ? undefined : runFailure(end);
    if (failure !== undefined) await stream.write(errorFrame(failure, clock.now()));
    if (named && end !== undefined) await stream.write(endFrame(end));
  } catch (thrown) {
    // The response's head is sent, so the error is a frame of the stream.
    const error = toPlatformError(thrown);
    if (error.httpStatus >= 500) logger.error({ runId: run.runId, error: thrown }, "stream failed");
    stream.endWith(errorFrame(error, clock.now()));
  }
  stream.end();
}

function credentialsExpired({ runId }: RunRecord): PlatformError {
  return new PlatformError(
    "UNAUTHENTICATED",
    "The credentials of this request are not valid any more. Read the rest from the run's stream, with new ones.",
    { details: { runId } },
  );
}
