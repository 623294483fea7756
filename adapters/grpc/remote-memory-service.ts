import { toEventRecord } from "#kit/events/event-record.ts";
import type { MemoryEntry, MemoryScope, MemoryService, SearchMemoryResponse } from "#kit/memory/memory-service.ts";
import { assertIdentifier, assertSessionKey } from "#kit/names/identifiers.ts";
import type { Session } from "#kit/sessions/session.ts";
import { assertMemoryScope, scopeOfOld } from "#ports/memory/memory-records.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeleteOldRequest, ListOldRequest, OldData, OldPage } from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import type { AddMemoryEntriesRequest } from "#proto/fairlead/memory/v1/AddMemoryEntriesRequest.ts";
import type { AddSessionRequest } from "#proto/fairlead/memory/v1/AddSessionRequest.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromDeletedMessage, fromOldItem, fromPageMessage, toListOldMessage } from "./messages/data-messages.ts";
import { eventBatches } from "./messages/event-messages.ts";
import {
  batches,
  fromJsonBytes,
  markLast,
  toJsonBytes,
  toSessionKeyMessage,
  toTimestamp,
} from "./messages/messages.ts";
import { fromAmountsMessages, toStorageCounts } from "./messages/storage-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

/**
 * The memory service over gRPC. Identifiers are checked before they are sent, because the encoding would repair text
 * that is not well-formed.
 */
export class RemoteMemoryService implements MemoryService, MeteredStore, TenantData, OldData, AsyncDisposable {
  readonly #methods = loadProto("memory").fairlead.memory.v1.MemoryService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "memory", methods: this.#methods });
  }

  async addSessionToMemory(session: Session): Promise<void> {
    assertSessionKey(session);
    await this.#peer.clientStream(this.#methods.AddSession, markLast(sessionMessages(session)));
  }

  async addMemoryEntries(given: MemoryScope, entries: readonly MemoryEntry[]): Promise<void> {
    const scope = checkedScope(given);
    await this.#peer.clientStream(this.#methods.AddMemoryEntries, markLast(entryMessages(scope, entries)));
  }

  async searchMemory(given: MemoryScope, query: string): Promise<SearchMemoryResponse> {
    const memories: MemoryEntry[] = [];
    const request = { scope: checkedScope(given), query };
    for await (const { memoriesJson } of this.#peer.serverStream(this.#methods.SearchMemory, request))
      for (const bytes of memoriesJson) memories.push(fromJsonBytes<MemoryEntry>(bytes, "The memory"));
    return { memories };
  }

  async deleteSessionMemory(given: MemoryScope, sessionId: string): Promise<void> {
    const scope = checkedScope(given);
    assertIdentifier("sessionId", sessionId);
    await this.#peer.unary(this.#methods.DeleteSessionMemory, { scope, sessionId });
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
    const items = answer.items.map(({ userId, sessionId, ...item }) => ({ ...fromOldItem(item), userId, sessionId }));
    return { items, nextPageToken: answer.nextPageToken };
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    const scope = checkedScope(scopeOfOld(request));
    const items = request.items.map(({ sessionId, id }) => ({ sessionId, id }));
    const message = { ...scope, items, before: toTimestamp(request.before) };
    return (await this.#peer.unary(this.#methods.DeleteOldData, message)).deleted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

function* sessionMessages(session: Session): Generator<AddSessionRequest, void, undefined> {
  const { lastUpdateTime, revision, events } = session;
  yield { header: { session: toSessionKeyMessage(session), lastUpdateTime: toTimestamp(lastUpdateTime), revision } };
  // A partial event is never added to memory.
  const complete = events.values().filter((event) => event.partial !== true);
  for (const batch of eventBatches(complete.map(toEventRecord))) yield { events: batch };
}

function* entryMessages(
  scope: MemoryScope,
  entries: readonly MemoryEntry[],
): Generator<AddMemoryEntriesRequest, void, undefined> {
  yield { scope };
  for (const batch of batches(entries.values().map(toJsonBytes), (bytes) => bytes.length)) yield { entriesJson: batch };
}

function checkedScope(scope: MemoryScope): Required<MemoryScope> {
  assertMemoryScope(scope);
  return { ...toTenantMember(scope), appName: scope.appName, userId: scope.userId };
}
