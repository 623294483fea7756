import { toEmissionMessage } from "#adapters/grpc/messages/emission-messages.ts";
import { fromJsonBytes, required } from "#adapters/grpc/messages/messages.ts";
import { toRunMessage } from "#adapters/grpc/messages/run-messages.ts";
import type { LiveRequest } from "#kit/core/context/live-request.ts";
import type { LiveInput, LiveProgress, LiveRunnerService } from "#ports/runs/live-runner-service.ts";
import type { StartRunRequest } from "#ports/runs/runner-service.ts";
import type { RunLiveRequest__Output } from "#proto/fairlead/runner/v1/RunLiveRequest.ts";
import type { RunLiveResponse } from "#proto/fairlead/runner/v1/RunLiveResponse.ts";
import type { StartRunRequest__Output } from "#proto/fairlead/runner/v1/StartRunRequest.ts";

export interface LiveCallOptions {
  readonly runner: LiveRunnerService;
  /** Aborted when the caller has left. */
  readonly signal: AbortSignal;
  readonly toStart: (message: StartRunRequest__Output) => StartRunRequest;
}

/** Answers one `RunLive` call. */
export async function* answerLive(
  requests: AsyncIterable<RunLiveRequest__Output>,
  { runner, signal, toStart }: LiveCallOptions,
): AsyncGenerator<RunLiveResponse, void, undefined> {
  const messages = requests[Symbol.asyncIterator]();
  const first = await messages.next();
  // A caller may leave before its first message.
  if (first.done === true) return;
  const { start: given, resumes } = required(first.value.start);
  const start = toStart(required(given));
  const request = { ...start, runId: required(start.runId), resumes, inputs: inputsOf(messages), signal };
  for await (const progress of runner.runLive(request)) yield toResponse(progress);
}

function toResponse(progress: LiveProgress): RunLiveResponse {
  switch (progress.kind) {
    case "recorded":
      return { recorded: toRunMessage(progress.run) };
    case "worked":
      return { progress: { entries: progress.entries.map(toEmissionMessage), taken: progress.taken } };
    default:
      return progress satisfies never;
  }
}

/** The client's messages. They end only with the caller's mark: without it the caller was lost, and is waited for. */
async function* inputsOf(messages: AsyncIterator<RunLiveRequest__Output>): AsyncGenerator<LiveInput> {
  for (;;) {
    const next = await messages.next();
    // The reader of these messages stops when the call's signal is aborted.
    if (next.done === true) return await new Promise<never>(() => {});
    if (next.value.inputsEnd) return;
    const { n, liveRequestJson } = required(next.value.input);
    yield { n, request: fromJsonBytes<LiveRequest>(liveRequestJson, "The live request") };
  }
}
