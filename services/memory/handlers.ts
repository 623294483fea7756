import {
  fromDeleteMessage,
  fromListMessage,
  fromListOldMessage,
  toOldPageMessage,
  toPageMessage,
} from "#adapters/grpc/messages/data-messages.ts";
import { fromEventMessage } from "#adapters/grpc/messages/event-messages.ts";
import {
  assertComplete,
  batches,
  fromJsonBytes,
  fromSessionKey,
  fromTimestamp,
  toJsonBytes,
} from "#adapters/grpc/messages/messages.ts";
import { fromStorageCounts, toAmountsMessages } from "#adapters/grpc/messages/storage-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { Event } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import type { MemoryEntry, MemoryScope, MemoryService } from "#kit/memory/memory-service.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { AddMemoryEntriesRequest__Output } from "#proto/fairlead/memory/v1/AddMemoryEntriesRequest.ts";
import type { AddSessionHeader__Output } from "#proto/fairlead/memory/v1/AddSessionHeader.ts";
import type { AddSessionRequest__Output } from "#proto/fairlead/memory/v1/AddSessionRequest.ts";
import type { MemoryScope__Output } from "#proto/fairlead/memory/v1/MemoryScope.ts";
import type { MemoryServiceHandlers } from "#proto/fairlead/memory/v1/MemoryService.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";

/** The gRPC handlers of a `MemoryService`. */
export function memoryHandlers(memory: MemoryService & MeteredStore, handlers: GrpcHandlers): MemoryServiceHandlers {
  const data = tenantDataOf(memory);
  const old = oldDataOf(memory);
  return {
    ListData: handlers.unary(async (request) => toPageMessage(await data.listData(fromListMessage(request)))),
    DeleteData: handlers.unary((request) => data.deleteData(fromDeleteMessage(request))),
    ListOldData: handlers.unary(async (request) =>
      toOldPageMessage(await old.listOldData(fromListOldMessage(request))),
    ),
    DeleteOldData: handlers.unary(async ({ items, before, ...scope }) => ({
      deleted: await old.deleteOldData({ ...fromScope(scope), items, before: fromTimestamp(before) }),
    })),
    AddSession: handlers.clientStream(async (messages) => {
      await addSession(memory, messages);
      return {};
    }),
    AddMemoryEntries: handlers.clientStream(async (messages) => {
      await addEntries(memory, messages);
      return {};
    }),
    SearchMemory: handlers.serverStream(async function* ({ scope, query }) {
      const { memories } = await memory.searchMemory(fromScope(scope), query);
      for (const batch of batches(memories.map(toJsonBytes), (bytes) => bytes.length)) yield { memoriesJson: batch };
    }),
    DeleteSessionMemory: handlers.unary(async ({ scope, sessionId }) => {
      await memory.deleteSessionMemory(fromScope(scope), sessionId);
      return {};
    }),
    ReadStored: handlers.unary(async ({ names }) => ({
      amounts: toAmountsMessages(await memory.readStored(fromStorageCounts("names", names))),
    })),
  };
}

async function addSession(memory: MemoryService, messages: AsyncIterable<AddSessionRequest__Output>): Promise<void> {
  let header: AddSessionHeader__Output | null = null;
  let complete = false;
  const events: Event[] = [];
  for await (const message of messages) {
    header ??= message.header;
    complete = message.complete;
    for (const event of message.events) events.push(fromEventRecord(fromEventMessage(event)));
  }
  assertComplete(complete);
  await memory.addSessionToMemory({
    ...fromSessionKey(header?.session),
    state: {},
    events,
    lastUpdateTime: fromTimestamp(header?.lastUpdateTime),
    revision: Number(header?.revision ?? 0),
  });
}

async function addEntries(
  memory: MemoryService,
  messages: AsyncIterable<AddMemoryEntriesRequest__Output>,
): Promise<void> {
  let scope: MemoryScope__Output | null = null;
  let complete = false;
  const entries: MemoryEntry[] = [];
  for await (const message of messages) {
    scope ??= message.scope;
    complete = message.complete;
    for (const bytes of message.entriesJson) entries.push(fromJsonBytes<MemoryEntry>(bytes, "The entry"));
  }
  assertComplete(complete);
  await memory.addMemoryEntries(fromScope(scope), entries);
}

/** An absent scope becomes one of empty names, which the port refuses. */
function fromScope(scope: MemoryScope__Output | null): MemoryScope {
  if (scope === null) return { appName: "", userId: "" };
  return { ...fromTenantMember(scope), appName: scope.appName, userId: scope.userId };
}
