import { assertSessionKey } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import type { LiveProgress, LiveRunnerService, RunLiveRequest } from "#ports/runs/live-runner-service.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#ports/runs/runner-service.ts";
import type { PipedStart } from "#proto/fairlead/runner/v1/PipedStart.ts";
import type { PipedStarted__Output } from "#proto/fairlead/runner/v1/PipedStarted.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { MAX_PIPED_BYTES, PIPED_ENVELOPE_BYTES, RequestPipe } from "./channel/request-pipe.ts";
import { fromJsonBytes, toDuration, toJsonBytes, toSessionKeyMessage } from "./messages/messages.ts";
import { fromRunMessage, toPolicyMessage } from "./messages/run-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";
import { remoteLiveRun } from "./remote-live-run.ts";

/** The number of streams to runners: each is opened to the next runner, so the number covers all runners. */
const PIPES = 8;
/** How many starts of one turn of the event loop go to the same runner. */
const STARTS_TOGETHER = 8;
/** The age at which a stream is replaced, so that runners that started later get their share of new runs. */
const MAX_PIPE_AGE_MS = 30_000;

/**
 * Runners over gRPC. Starts share streams (see `RequestPipe`); a start whose stream broke is sent again as a single
 * call, which is harmless if the request names the run.
 */
export class RemoteRunnerService implements RunnerService, LiveRunnerService, AsyncDisposable {
  readonly #methods = loadProto("runner").fairlead.runner.v1.RunnerService.service;
  readonly #peer: GrpcPeer;
  readonly #pipes: readonly RequestPipe<PipedStart, PipedStarted__Output>[];
  #pipe = 0;
  /** Starts of this turn of the event loop. */
  #starts = 0;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "runner", methods: this.#methods });
    // The stream has no deadline; each request has one.
    const open = () => this.#peer.duplex(this.#methods.StartPipe, { deadline: Number.POSITIVE_INFINITY });
    const pipe = { ...options, name: "runner", maxAgeMs: MAX_PIPE_AGE_MS, open };
    this.#pipes = Array.from({ length: PIPES }, () => new RequestPipe(pipe));
  }

  async startRun(request: StartRunRequest): Promise<RunRecord> {
    assertSessionKey(request.session);
    const start = toStartMessage(request);
    const { run } = (await this.#startByPipe(start)) ?? (await this.#peer.unary(this.#methods.StartRun, start));
    return fromRunMessage(run);
  }

  /** Undefined if a single call has to be made instead. */
  async #startByPipe(start: ReturnType<typeof toStartMessage>) {
    const { length } = start.requestJson;
    if (start.runId === undefined || length > MAX_PIPED_BYTES) return undefined;
    const call = { path: this.#methods.StartRun.path, request: { start }, bytes: PIPED_ENVELOPE_BYTES + length };
    return (await this.#nextPipe()?.ask(call))?.[0]?.started;
  }

  /** Runners take turns. Starts of one turn of the event loop share a pipe, and so a message. */
  #nextPipe() {
    if (this.#starts === 0) setImmediate(() => (this.#starts = 0));
    if (this.#starts % STARTS_TOGETHER === 0) this.#pipe = (this.#pipe + 1) % PIPES;
    this.#starts += 1;
    return this.#pipes[this.#pipe];
  }

  async *runLive({ inputs, signal, resumes = false, ...request }: RunLiveRequest): AsyncGenerator<LiveProgress> {
    assertSessionKey(request.session);
    const start = toStartMessage(request);
    // Lasts as long as the conversation.
    const call = this.#peer.duplex(this.#methods.RunLive, { deadline: Number.POSITIVE_INFINITY });
    yield* remoteLiveRun(this.#peer, call, { start, resumes, inputs, signal });
  }

  async cancelRun(runId: string, tenantId?: string): Promise<RunRecord> {
    const request = { runId, ...toTenantMember(inTenant(tenantId)) };
    return fromRunMessage((await this.#peer.unary(this.#methods.CancelRun, request)).run);
  }

  async listApps(): Promise<readonly string[]> {
    return (await this.#peer.unary(this.#methods.ListApps, {})).appNames;
  }

  async describeApp(appName: string): Promise<AppInfo> {
    const { appJson } = await this.#peer.unary(this.#methods.DescribeApp, { appName });
    return fromJsonBytes<AppInfo>(appJson, "The description of the app");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#pipes.map((pipe) => pipe[Symbol.asyncDispose]()));
    await this.#peer[Symbol.asyncDispose]();
  }
}

function toStartMessage({ runId, session, request, policy, idempotencyKey, streamKey, timeoutMs }: StartRunRequest) {
  return {
    ...(runId !== undefined && { runId }),
    session: toSessionKeyMessage(session),
    requestJson: toJsonBytes(request),
    ...(policy !== undefined && { policy: toPolicyMessage(policy) }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(streamKey !== undefined && { streamKey }),
    ...(timeoutMs !== undefined && { timeout: toDuration(timeoutMs) }),
  };
}
