import { assertIdentifier, assertSessionKey } from "#kit/platform/identifiers.ts";
import { assertPageSize } from "#kit/sessions/page-token.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListRunsRequest,
  ListRunsResponse,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { fromAppendedMessage, placed, toAppendMessage } from "./append-messages.ts";
import { AppendPipe } from "./append-pipe.ts";
import { SnapshotReader, toBeginMessage } from "./begin-messages.ts";
import { fromStoredEventMessage, toEventMessage } from "./event-messages.ts";
import { GrpcPeer, type PeerOptions } from "./grpc-peer.ts";
import { toDuration, toJsonBytes } from "./messages.ts";
import { loadProto } from "./proto.ts";
import { fromLeaseMessage, fromRunMessage, toLeaseMessage, toStatusMessage } from "./run-messages.ts";

/** Larger appends go by themselves: one that is over the limit of a message would break the stream for all. */
const MAX_PIPED_BYTES = 1024 * 1024;

/** The journal of the session service, reached over gRPC. Appends share one stream; what that leaves open is asked again in a call. */
export class RemoteRunJournal implements RunJournal, AsyncDisposable {
  readonly #methods = loadProto("runJournal").agentplane.session.v1.RunJournalService.service;
  readonly #peer: GrpcPeer;
  readonly #pipe: AppendPipe;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "session", methods: this.#methods });
    this.#pipe = new AppendPipe({
      // The stream has no deadline; each append has one.
      open: () => this.#peer.duplex(this.#methods.AppendPipe, { deadline: Number.POSITIVE_INFINITY }),
      clock: options.clock,
      timeoutMs: options.timeoutMs,
    });
  }

  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    assertIdentifier("runId", request.runId);
    assertSessionKey(request.session);
    const reader = new SnapshotReader();
    for await (const message of this.#peer.serverStream(this.#methods.BeginRun, toBeginMessage(request)))
      reader.add(message);
    return reader.result();
  }

  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    let bytes = 0;
    for (const { json } of request.events) bytes += json.length;
    const piped = bytes <= MAX_PIPED_BYTES ? await this.#pipe.append(request) : undefined;
    if (piped !== undefined) return piped;
    // Events are recognised by their ids, so that repeating what a broken stream left open is harmless.
    return fromAppendedMessage(await this.#peer.unary(this.#methods.AppendEvents, toAppendMessage(request)), request);
  }

  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const { lease, afterRevision, events, status, usage, error } = request;
    const answer = await this.#peer.unary(this.#methods.FinishRun, {
      lease: toLeaseMessage(lease),
      afterRevision,
      events: events.map(toEventMessage),
      status: toStatusMessage(status),
      ...(usage !== undefined && { usageJson: toJsonBytes(usage) }),
      ...(error !== undefined && { error }),
    });
    return {
      run: fromRunMessage(answer.run),
      revision: Number(answer.revision),
      stored: placed(events, answer.sequences),
      missed: answer.missed.map(fromStoredEventMessage),
    };
  }

  async renew(given: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    const request = { lease: toLeaseMessage(given), leaseDuration: toDuration(leaseMs) };
    const { lease, cancelRequested } = await this.#peer.unary(this.#methods.RenewLease, request);
    return { lease: fromLeaseMessage(lease), cancelRequested };
  }

  async cancel(runId: string): Promise<RunRecord> {
    return fromRunMessage((await this.#peer.unary(this.#methods.RequestCancel, { runId })).run);
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    const { run } = await this.#peer.unary(this.#methods.GetRun, { runId });
    return run ? fromRunMessage(run) : undefined;
  }

  async list(request: ListRunsRequest): Promise<ListRunsResponse> {
    const { session, appName, statuses, pageSize, pageToken } = request;
    assertPageSize(pageSize);
    // On the wire, no status means any.
    if (statuses?.length === 0) return { runs: [] };
    const runs: RunRecord[] = [];
    let nextPageToken: string | undefined;
    const query = {
      ...(session !== undefined && { session: sessionKey(session) }),
      ...(appName !== undefined && { appName }),
      ...(statuses !== undefined && { statuses: statuses.map(toStatusMessage) }),
      ...(pageSize !== undefined && { pageSize }),
      ...(pageToken !== undefined && { pageToken }),
    };
    for await (const message of this.#peer.serverStream(this.#methods.ListRuns, query)) {
      for (const run of message.runs) runs.push(fromRunMessage(run));
      nextPageToken = message.nextPageToken;
    }
    return nextPageToken === undefined ? { runs } : { runs, nextPageToken };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipe[Symbol.asyncDispose]();
    await this.#peer[Symbol.asyncDispose]();
  }
}
