import type { ClientDuplexStream } from "@grpc/grpc-js";
import type { LiveInput, LiveProgress } from "#ports/runs/live-runner-service.ts";
import type { RunLiveRequest } from "#proto/fairlead/runner/v1/RunLiveRequest.ts";
import type { RunLiveResponse__Output } from "#proto/fairlead/runner/v1/RunLiveResponse.ts";
import type { StartRunRequest } from "#proto/fairlead/runner/v1/StartRunRequest.ts";
import type { GrpcPeer } from "./channel/grpc-peer.ts";
import { fromEmissionMessage } from "./messages/emission-messages.ts";
import { required, toJsonBytes } from "./messages/messages.ts";
import { fromRunMessage } from "./messages/run-messages.ts";

type Call = ClientDuplexStream<RunLiveRequest, RunLiveResponse__Output>;

export interface RemoteLiveRun {
  readonly start: StartRunRequest;
  readonly resumes: boolean;
  readonly inputs: AsyncIterable<LiveInput>;
  readonly signal: AbortSignal;
}

/**
 * One call of a live run over gRPC. The client's messages are read no faster than the runner reads them. Ends when the
 * run has ended or the signal is aborted; the end of the client's messages is a message of its own, so that the runner
 * can distinguish it from a lost connection.
 */
export async function* remoteLiveRun(
  peer: GrpcPeer,
  call: Call,
  { start, resumes, inputs, signal }: RemoteLiveRun,
): AsyncGenerator<LiveProgress, void, undefined> {
  let failure: unknown;
  const stop = new AbortController();
  const cancel = (): void => call.cancel();
  call.once("error", (error) => {
    failure = error;
    stop.abort();
  });
  call.once("end", () => stop.abort());
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) return;
    call.write({ start: { start, resumes } });
    void sendInputs(call, inputs, stop.signal).catch((error: unknown) => {
      failure = error;
      call.cancel();
    });
    for await (const response of call as AsyncIterable<RunLiveResponse__Output>) yield toProgress(response);
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (signal.aborted) return;
    throw peer.translate(failure ?? error);
  } finally {
    signal.removeEventListener("abort", cancel);
    stop.abort();
    call.cancel();
  }
}

function toProgress({ recorded, progress }: RunLiveResponse__Output): LiveProgress {
  if (!progress) return { kind: "recorded", run: fromRunMessage(required(recorded)) };
  return { kind: "worked", entries: progress.entries.map(fromEmissionMessage), taken: progress.taken };
}

async function sendInputs(call: Call, inputs: AsyncIterable<LiveInput>, stopped: AbortSignal): Promise<void> {
  const messages = inputs[Symbol.asyncIterator]();
  const { promise: stop, resolve } = Promise.withResolvers<void>();
  // A source that waits for its next message would end only after it.
  const end = (): void => {
    resolve();
    void messages.return?.()?.catch(() => {});
  };
  if (stopped.aborted) return end();
  stopped.addEventListener("abort", end, { once: true });
  for (;;) {
    const next = await messages.next();
    if (stopped.aborted) return;
    if (next.done === true) break;
    const { n, request } = next.value;
    if (call.write({ input: { n, liveRequestJson: toJsonBytes(request) } })) continue;
    await Promise.race([stop, new Promise((resolveDrain) => call.once("drain", resolveDrain))]);
  }
  call.write({ inputsEnd: {} });
  call.end();
}
