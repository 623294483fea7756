import { assertIdentifier, assertSessionKey } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import type { PagePlace } from "#kit/sessions/all-pages.ts";
import { assertHeadsRequest, type JournalHead } from "#kit/sessions/journal-head.ts";
import type {
  AppendEventsRequest,
  AppendEventsResult,
  BeginRunRequest,
  BeginRunResult,
  FinishRunRequest,
  FinishRunResult,
  ListAbandonedRequest,
  ListRunsRequest,
  ListRunsResponse,
  RunJournal,
} from "#kit/sessions/run-journal.ts";
import type { Lease, RunRecord } from "#kit/sessions/run-record.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { assertPageSize } from "#ports/sessions/page-token.ts";
import type { PipedAnswer__Output } from "#proto/fairlead/session/v1/PipedAnswer.ts";
import type { PipedRequest } from "#proto/fairlead/session/v1/PipedRequest.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { repeatWrite } from "./channel/repeat-write.ts";
import { MAX_PIPED_BYTES, PIPED_ENVELOPE_BYTES, RequestPipe } from "./channel/request-pipe.ts";
import { fromAppendedMessage, toAppendMessage } from "./messages/append-messages.ts";
import { SnapshotReader, toBeginMessage } from "./messages/begin-messages.ts";
import { fromFinishedMessage, toFinishMessage } from "./messages/finish-messages.ts";
import { fromHeadMessage } from "./messages/head-messages.ts";
import { required, toDuration, toSessionKeyMessage } from "./messages/messages.ts";
import { fromLeaseMessage, fromRunMessage, toLeaseMessage, toStatusMessage } from "./messages/run-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

const MAX_PIPE_AGE_MS = 300_000;
/** How long `finish` is repeated if no lease length is known yet. */
const DEFAULT_LEASE_MS = 10_000;

/**
 * The journal of the session service over gRPC. `begin`, `append` and `finish` of all runs share one stream (see
 * `RequestPipe`); a request whose stream broke, or that is too large for it, is sent as a single call.
 */
export class RemoteRunJournal implements RunJournal, AsyncDisposable {
  readonly #methods = loadProto("runJournal").fairlead.session.v1.RunJournalService.service;
  readonly #peer: GrpcPeer;
  readonly #pipe: RequestPipe<PipedRequest, PipedAnswer__Output>;
  readonly #clock: PeerOptions["clock"];
  readonly #onGrant: (grant: string) => void;
  /** The length of this process's leases: how long a write may be repeated. */
  #leaseMs = DEFAULT_LEASE_MS;

  constructor(options: PeerOptions) {
    this.#clock = options.clock;
    const { onGrant } = options;
    this.#onGrant = (grant) => grant !== "" && onGrant?.(grant);
    this.#peer = new GrpcPeer({ ...options, name: "session", methods: this.#methods });
    this.#pipe = new RequestPipe({
      ...options,
      name: "session",
      maxAgeMs: MAX_PIPE_AGE_MS,
      // The stream has no deadline; each request has one.
      open: () => this.#peer.duplex(this.#methods.JournalPipe, { deadline: Number.POSITIVE_INFINITY }),
    });
  }

  async begin(request: BeginRunRequest): Promise<BeginRunResult> {
    assertIdentifier("runId", request.runId);
    assertSessionKey(request.session);
    const begin = { ...toBeginMessage(request), acceptsSessionGrant: true };
    const reader = new SnapshotReader();
    const jsonBytes = begin.requestJson.length + (request.opening?.json.length ?? 0);
    const answers = await this.#ask(this.#methods.BeginRun.path, { begin }, jsonBytes);
    if (answers === undefined)
      for await (const message of this.#peer.serverStream(this.#methods.BeginRun, begin)) reader.add(message);
    else for (const { begun } of answers) reader.add(required(begun));
    this.#onGrant(reader.grant);
    return reader.result();
  }

  /** Repeats the write while the service is unavailable, for at most the length of the lease. */
  async append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    this.#leaseMs = request.leaseMs;
    return repeatWrite(() => this.#append(request), { clock: this.#clock, forMs: request.leaseMs });
  }

  async #append(request: AppendEventsRequest): Promise<AppendEventsResult> {
    const append = toAppendMessage(request);
    const answers = await this.#ask(this.#methods.AppendEvents.path, { append }, jsonLength(request));
    // Events are recognised by their ids, so a request without an answer can be repeated safely.
    const appended = answers?.[0]?.appended ?? (await this.#peer.unary(this.#methods.AppendEvents, append));
    this.#onGrant(appended.grant);
    return fromAppendedMessage(appended, request);
  }

  /** Repeats the write as `append` does. */
  async finish(request: FinishRunRequest): Promise<FinishRunResult> {
    return repeatWrite(() => this.#finish(request), { clock: this.#clock, forMs: this.#leaseMs });
  }

  async #finish(request: FinishRunRequest): Promise<FinishRunResult> {
    const finish = toFinishMessage(request);
    const answers = await this.#ask(this.#methods.FinishRun.path, { finish }, jsonLength(request));
    const finished = answers?.[0]?.finished ?? (await this.#peer.unary(this.#methods.FinishRun, finish));
    return fromFinishedMessage(finished, request);
  }

  /** Sends the request over the pipe. Returns undefined if a single call has to be made instead. */
  async #ask(path: string, request: PipedRequest, jsonBytes: number) {
    if (jsonBytes > MAX_PIPED_BYTES) return undefined;
    return this.#pipe.ask({ path, request, bytes: PIPED_ENVELOPE_BYTES + jsonBytes });
  }

  async renew(given: Lease, leaseMs: number): Promise<{ readonly lease: Lease; readonly cancelRequested: boolean }> {
    const request = { lease: toLeaseMessage(given), leaseDuration: toDuration(leaseMs) };
    const { lease, cancelRequested, grant } = await this.#peer.unary(this.#methods.RenewLease, request);
    this.#onGrant(grant);
    return { lease: fromLeaseMessage(lease), cancelRequested };
  }

  /** The grant for services other than the session service, for the run of the call's scope. */
  async signGrant(): Promise<string> {
    return (await this.#peer.unary(this.#methods.SignGrant, {})).grant;
  }

  async release(lease: Lease): Promise<RunRecord> {
    return fromRunMessage((await this.#peer.unary(this.#methods.ReleaseRun, { lease: toLeaseMessage(lease) })).run);
  }

  async cancel(runId: string, tenantId?: string): Promise<RunRecord> {
    const request = { runId, ...toTenantMember(inTenant(tenantId)) };
    return fromRunMessage((await this.#peer.unary(this.#methods.RequestCancel, request)).run);
  }

  async get(runId: string, tenantId?: string): Promise<RunRecord | undefined> {
    const { run } = await this.#peer.unary(this.#methods.GetRun, { runId, ...toTenantMember(inTenant(tenantId)) });
    return run ? fromRunMessage(run) : undefined;
  }

  async list(request: ListRunsRequest): Promise<ListRunsResponse> {
    const { session, statuses, pageSize, maxCharacters } = request;
    if (session !== undefined) assertSessionKey(session);
    assertTenant(request);
    assertPageSize(pageSize);
    // In the message, no status means any.
    if (statuses?.length === 0) return { runs: [] };
    const runs: RunRecord[] = [];
    for (let place: PagePlace = {}; ; ) {
      const left = pageSize === undefined ? {} : { pageSize: pageSize - runs.length };
      const { nextPageToken, ...part } = await this.#list({ ...request, ...left, ...place });
      runs.push(...part.runs);
      if (nextPageToken === undefined) return { runs };
      if (maxCharacters !== undefined || runs.length === pageSize) return { runs, nextPageToken };
      place = { pageToken: nextPageToken };
    }
  }

  /** A page that is bounded by its size. */
  async #list(request: ListRunsRequest): Promise<ListRunsResponse> {
    const { session, appName, userId, statuses, pageSize, maxCharacters, pageToken } = request;
    const runs: RunRecord[] = [];
    let nextPageToken: string | undefined;
    const query = {
      ...toTenantMember(request),
      ...(session !== undefined && { session: toSessionKeyMessage(session) }),
      ...(appName !== undefined && { appName }),
      ...(userId !== undefined && { userId }),
      ...(statuses !== undefined && { statuses: statuses.map(toStatusMessage) }),
      ...(pageSize !== undefined && { pageSize }),
      ...(maxCharacters !== undefined && { maxCharacters }),
      ...(pageToken !== undefined && { pageToken }),
    };
    for await (const message of this.#peer.serverStream(this.#methods.ListRuns, query)) {
      for (const run of message.runs) runs.push(fromRunMessage(run));
      nextPageToken = message.nextPageToken;
    }
    return nextPageToken === undefined ? { runs } : { runs, nextPageToken };
  }

  async getHeads(sessions: readonly SessionKey[]): Promise<readonly (JournalHead | undefined)[]> {
    assertHeadsRequest(sessions);
    if (sessions.length === 0) return [];
    const { heads } = await this.#peer.unary(this.#methods.BatchGetHeads, {
      sessions: sessions.map(toSessionKeyMessage),
    });
    return sessions.map((_, index) => fromHeadMessage(required(heads[index])));
  }

  async listAbandoned({ minAgeMs, holder, limit }: ListAbandonedRequest): Promise<readonly RunRecord[]> {
    assertPageSize(limit);
    const runs: RunRecord[] = [];
    const query = { minAge: toDuration(minAgeMs), limit, ...(holder !== undefined && { holder }) };
    for await (const message of this.#peer.serverStream(this.#methods.ListAbandonedRuns, query))
      for (const run of message.runs) runs.push(fromRunMessage(run));
    return runs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pipe[Symbol.asyncDispose]();
    await this.#peer[Symbol.asyncDispose]();
  }
}

function jsonLength({ events }: Pick<AppendEventsRequest, "events">): number {
  let length = 0;
  for (const { json } of events) length += json.length;
  return length;
}
