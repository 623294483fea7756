import { assertIdentifier } from "#kit/names/identifiers.ts";
import { assertTenant, inTenant } from "#kit/names/tenant.ts";
import { type EvalJob, type EvalJobCase, type EvalJobKey, isEnded } from "#ports/evaluation-jobs/eval-job.ts";
import type {
  EvalJobPage,
  EvalJobResult,
  ListEvalJobCasesRequest,
  ListEvalJobsRequest,
  NewEvalJob,
} from "#ports/evaluation-jobs/eval-job-store.ts";
import type { EvalAbilities, EvalJobChange, EvalJobs, WatchEvalJobRequest } from "#ports/evaluation-jobs/eval-jobs.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromDeletedMessage, fromPageMessage } from "./messages/data-messages.ts";
import { fromJsonChunks, toJsonChunks } from "./messages/json-stream.ts";
import { fromJsonBytes, required } from "./messages/messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

interface Chunk {
  readonly jsonChunk: Buffer;
}

/** The evaluations of the evaluation service over gRPC. Names are checked before they are sent, as in `RemoteEvalStore`. */
export class RemoteEvalJobs implements EvalJobs, TenantData, AsyncDisposable {
  readonly #methods = loadProto("eval").fairlead.eval.v1.EvalService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "eval", methods: this.#methods });
  }

  async describe(): Promise<EvalAbilities> {
    return this.#peer.unary(this.#methods.DescribeEvaluations, {});
  }

  async start({ tenantId, appName, requester, ...job }: NewEvalJob): Promise<EvalJob> {
    assertTenant(inTenant(tenantId));
    assertIdentifier("appName", appName);
    const { userId, keyId } = requester;
    const head = { ...toTenantMember(inTenant(tenantId)), appName, ...(userId !== undefined && { userId }) };
    const body = { ...job, ...(keyId !== undefined && { keyId }) };
    const messages = this.#peer.exchange(this.#methods.StartEvaluation, toJsonChunks(body, head));
    return required(await fromJsonChunks<EvalJob, Chunk>(messages, "The evaluation")).value;
  }

  async get(key: EvalJobKey): Promise<EvalJob | undefined> {
    const messages = this.#peer.serverStream(this.#methods.GetEvaluation, checkedKey(key));
    return (await fromJsonChunks<EvalJob, Chunk>(messages, "The evaluation"))?.value;
  }

  async list({ tenantId, statuses = [], ...request }: ListEvalJobsRequest): Promise<EvalJobPage> {
    const tenant = inTenant(tenantId);
    assertTenant(tenant);
    const message = { ...toTenantMember(tenant), ...request, statuses: [...statuses] };
    const messages = this.#peer.serverStream(this.#methods.ListEvaluations, message);
    return required(await fromJsonChunks<EvalJobPage, Chunk>(messages, "The list of evaluations")).value;
  }

  async listCases(request: ListEvalJobCasesRequest): Promise<readonly EvalJobCase[]> {
    const messages = this.#peer.serverStream(this.#methods.ListEvaluationCases, { ...request, ...checkedKey(request) });
    return required(await fromJsonChunks<EvalJobCase[], Chunk>(messages, "The list of cases")).value;
  }

  async listResults(request: ListEvalJobCasesRequest): Promise<readonly EvalJobResult[]> {
    const message = { ...request, ...checkedKey(request) };
    const messages = this.#peer.serverStream(this.#methods.ListEvaluationResults, message);
    return required(await fromJsonChunks<EvalJobResult[], Chunk>(messages, "The list of results")).value;
  }

  async *watch({ afterSequence = 0, ...key }: WatchEvalJobRequest, signal: AbortSignal): AsyncGenerator<EvalJobChange> {
    // A call ends at its deadline, before its job may have ended. The next one continues.
    for (let seen = afterSequence; ; ) {
      for await (const change of this.#changes({ ...checkedKey(key), afterSequence: seen }, signal)) {
        yield change;
        if (change.kind === "case") continue;
        seen = change.job.sequence;
        if (isEnded(change.job)) return;
      }
    }
  }

  async *#changes(message: Required<WatchEvalJobRequest>, signal: AbortSignal): AsyncGenerator<EvalJobChange> {
    signal.throwIfAborted();
    const changes = this.#peer.serverStream(this.#methods.WatchEvaluation, message);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => undefined);
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      for (;;) {
        const next = await Promise.race([changes.next(), aborted]);
        if (next.done === true) return;
        yield fromJsonBytes<EvalJobChange>(next.value.json, "The change");
      }
    } finally {
      signal.removeEventListener("abort", abort);
      // A call that waits for its next message would end only then.
      void changes.return().catch(() => undefined);
    }
  }

  async cancel(key: EvalJobKey): Promise<EvalJob> {
    const messages = this.#peer.serverStream(this.#methods.CancelEvaluation, checkedKey(key));
    return required(await fromJsonChunks<EvalJob, Chunk>(messages, "The evaluation")).value;
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return fromPageMessage(await this.#peer.unary(this.#methods.ListEvaluationData, request));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return fromDeletedMessage(await this.#peer.unary(this.#methods.DeleteEvaluationData, request));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

function checkedKey({ tenantId, jobId }: EvalJobKey): Required<EvalJobKey> {
  const tenant = inTenant(tenantId);
  assertTenant(tenant);
  assertIdentifier("jobId", jobId);
  return { ...toTenantMember(tenant), jobId };
}
