import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import { type AppScope, assertAppScope } from "#kit/names/app-scope.ts";
import { assertIdentifier } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "#ports/evaluation/eval-store.ts";
import { neededBytes, type SizeLimit } from "#ports/evaluation/size-limit.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import {
  assertOldItems,
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
} from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromDeletedMessage, fromOldItem, fromPageMessage, toListOldMessage } from "./messages/data-messages.ts";
import { fromJsonChunks, toJsonChunks } from "./messages/json-stream.ts";
import { required, toTimestamp } from "./messages/messages.ts";
import { fromAmountsMessages, toStorageCounts } from "./messages/storage-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

/**
 * The evaluation service over gRPC. Names of apps and cases are checked before they are sent, because the encoding
 * would repair text that is not well-formed.
 */
export class RemoteEvalStore implements EvalStore, MeteredStore, TenantData, OldData, AsyncDisposable {
  readonly #methods = loadProto("eval").fairlead.eval.v1.EvalService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "eval", methods: this.#methods });
  }

  async createEvalSet({ tenantId, appName, ...set }: CreateEvalSetRequest): Promise<EvalSet> {
    const app = checkedApp({ ...inTenant(tenantId), appName });
    const messages = this.#peer.exchange(this.#methods.CreateEvalSet, toJsonChunks(set, app));
    return required(await fromJsonChunks<EvalSet, { jsonChunk: Buffer }>(messages, "The evaluation set")).value;
  }

  async listEvalSets(app: AppScope, after?: string): Promise<readonly string[]> {
    const request = { ...checkedApp(app), ...(after !== undefined && { after }) };
    return (await this.#peer.unary(this.#methods.ListEvalSets, request)).evalSetIds;
  }

  async getEvalSet(set: EvalSetKey, limit?: SizeLimit): Promise<EvalSet | undefined> {
    const { GetEvalSet } = this.#methods;
    const key = checkedKey(set);
    return sized(limit, (size) => this.#read<EvalSet>(this.#peer.serverStream(GetEvalSet, { key, ...size })));
  }

  async deleteEvalSet(set: EvalSetKey): Promise<void> {
    await this.#peer.unary(this.#methods.DeleteEvalSet, { key: checkedKey(set) });
  }

  async listEvalCases(set: EvalSetKey, limit?: SizeLimit): Promise<readonly string[]> {
    const key = checkedKey(set);
    const { ListEvalCases } = this.#methods;
    return (await sized(limit, (size) => this.#peer.unary(ListEvalCases, { key, ...size }))).evalIds;
  }

  async getEvalCase(evalCase: EvalCaseKey, limit?: SizeLimit): Promise<EvalCase | undefined> {
    const key = checkedKey(evalCase);
    const { evalId } = evalCase;
    assertIdentifier("evalId", evalId);
    const { GetEvalCase } = this.#methods;
    return sized(limit, (size) => this.#read<EvalCase>(this.#peer.serverStream(GetEvalCase, { key, evalId, ...size })));
  }

  async addEvalCase(set: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const key = checkedKey(set);
    await this.#peer.clientStream(this.#methods.AddEvalCase, toJsonChunks(evalCase, { key }));
  }

  async updateEvalCase(set: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const key = checkedKey(set);
    await this.#peer.clientStream(this.#methods.UpdateEvalCase, toJsonChunks(evalCase, { key }));
  }

  async deleteEvalCase(evalCase: EvalCaseKey): Promise<void> {
    const key = checkedKey(evalCase);
    assertIdentifier("evalId", evalCase.evalId);
    await this.#peer.unary(this.#methods.DeleteEvalCase, { key, evalId: evalCase.evalId });
  }

  async saveEvalSetResult(app: AppScope, result: EvalSetResult): Promise<void> {
    await this.#peer.clientStream(this.#methods.SaveEvalSetResult, toJsonChunks(result, checkedApp(app)));
  }

  async listEvalSetResults(app: AppScope, after?: string): Promise<readonly string[]> {
    const request = { ...checkedApp(app), ...(after !== undefined && { after }) };
    return (await this.#peer.unary(this.#methods.ListEvalSetResults, request)).names;
  }

  async getEvalSetResult(app: AppScope, nameOrId: string, limit?: SizeLimit): Promise<EvalSetResult | undefined> {
    const names = { ...checkedApp(app), nameOrId };
    const { GetEvalSetResult } = this.#methods;
    return sized(limit, (size) =>
      this.#read<EvalSetResult>(this.#peer.serverStream(GetEvalSetResult, { ...names, ...size })),
    );
  }

  async #read<Value>(messages: AsyncIterable<{ readonly jsonChunk: Buffer }>): Promise<Value | undefined> {
    return (await fromJsonChunks<Value, { jsonChunk: Buffer }>(messages, "The evaluation data"))?.value;
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    const { amounts } = await this.#peer.unary(this.#methods.ReadStored, { names: toStorageCounts(counts) });
    return fromAmountsMessages(amounts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return fromPageMessage(await this.#peer.unary(this.#methods.ListData, request));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return fromDeletedMessage(await this.#peer.unary(this.#methods.DeleteData, request));
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const answer = await this.#peer.unary(this.#methods.ListOldData, toListOldMessage(request));
    return { items: answer.items.map(fromOldItem), nextPageToken: answer.nextPageToken };
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    assertOldItems(request);
    const ids = request.items.map(({ id }) => id);
    const message = { ...checkedApp(request), ids, before: toTimestamp(request.before) };
    return (await this.#peer.unary(this.#methods.DeleteOldData, message)).deleted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

/** A read without a limit is repeated with the size that it needs. */
async function sized<Value>(
  { maxBytes }: SizeLimit = {},
  read: (size: { readonly maxBytes?: number }) => Promise<Value>,
): Promise<Value> {
  if (maxBytes !== undefined) return read({ maxBytes });
  for (let size = {}; ; ) {
    try {
      return await read(size);
    } catch (error) {
      const bytes = neededBytes(error);
      if (bytes === undefined) throw error;
      size = { maxBytes: bytes };
    }
  }
}

function checkedKey(key: EvalSetKey): Required<EvalSetKey> {
  return { ...checkedApp(key), evalSetId: key.evalSetId };
}

function checkedApp(app: AppScope): Required<AppScope> {
  assertAppScope(app);
  return { ...toTenantMember(app), appName: app.appName };
}
