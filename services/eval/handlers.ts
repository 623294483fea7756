import {
  fromDeleteMessage,
  fromListMessage,
  fromListOldMessage,
  toOldPageMessage,
  toPageMessage,
} from "#adapters/grpc/messages/data-messages.ts";
import { toJsonChunks } from "#adapters/grpc/messages/json-stream.ts";
import { fromTimestamp } from "#adapters/grpc/messages/messages.ts";
import { fromStorageCounts, toAmountsMessages } from "#adapters/grpc/messages/storage-messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { AppScope } from "#kit/names/app-scope.ts";
import type { CreateEvalSetRequest, EvalSetKey, EvalStore } from "#ports/evaluation/eval-store.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { AddEvalCaseRequest__Output } from "#proto/fairlead/eval/v1/AddEvalCaseRequest.ts";
import type { CreateEvalSetRequest__Output } from "#proto/fairlead/eval/v1/CreateEvalSetRequest.ts";
import type { DeleteOldDataRequest__Output } from "#proto/fairlead/eval/v1/DeleteOldDataRequest.ts";
import type { EvalServiceHandlers } from "#proto/fairlead/eval/v1/EvalService.ts";
import type { EvalSetKey__Output } from "#proto/fairlead/eval/v1/EvalSetKey.ts";
import type { ReadStoredRequest__Output } from "#proto/fairlead/eval/v1/ReadStoredRequest.ts";
import type { SaveEvalSetResultRequest__Output } from "#proto/fairlead/eval/v1/SaveEvalSetResultRequest.ts";
import type { UpdateEvalCaseRequest__Output } from "#proto/fairlead/eval/v1/UpdateEvalCaseRequest.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";
import { DEFAULT_BYTES } from "./answers.ts";
import { given } from "./given-json.ts";

/** The gRPC handlers of an `EvalStore`. */
export function storeHandlers(
  store: EvalStore & MeteredStore,
  handlers: GrpcHandlers,
): Pick<
  EvalServiceHandlers,
  StoreMethods | "ReadStored" | "ListData" | "DeleteData" | "ListOldData" | "DeleteOldData"
> {
  const data = tenantDataOf(store);
  const old = oldDataOf(store);
  return {
    ListData: handlers.unary(async (request) => toPageMessage(await data.listData(fromListMessage(request)))),
    DeleteData: handlers.unary((request) => data.deleteData(fromDeleteMessage(request))),
    ListOldData: handlers.unary(async (request) =>
      toOldPageMessage(await old.listOldData(fromListOldMessage(request))),
    ),
    DeleteOldData: handlers.unary(async ({ ids, before, ...app }: DeleteOldDataRequest__Output) => {
      const items = ids.map((id) => ({ id }));
      return { deleted: await old.deleteOldData({ ...fromApp(app), items, before: fromTimestamp(before) }) };
    }),
    ...setHandlers(store, handlers),
    ...caseHandlers(store, handlers),
    ...resultHandlers(store, handlers),
    ReadStored: handlers.unary(async ({ names }: ReadStoredRequest__Output) => ({
      amounts: toAmountsMessages(await store.readStored(fromStorageCounts("names", names))),
    })),
  };
}

type StoreMethods = keyof ReturnType<typeof setHandlers | typeof caseHandlers | typeof resultHandlers>;

function setHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    CreateEvalSet: handlers.bidi(async function* (messages: AsyncIterable<CreateEvalSetRequest__Output>) {
      const { value, first } = await given<CreateEvalSetRequest, CreateEvalSetRequest__Output>(messages);
      yield* toJsonChunks(await store.createEvalSet({ ...value, ...fromApp(first) }), {});
    }),
    ListEvalSets: handlers.unary(async (request: AppMessage & After) => ({
      evalSetIds: [...(await store.listEvalSets(fromApp(request), request.after))],
    })),
    GetEvalSet: handlers.serverStream(async function* ({ key, maxBytes = DEFAULT_BYTES }: Keyed & Sized) {
      yield* messagesOf(await store.getEvalSet(fromKey(key), { maxBytes }));
    }),
    DeleteEvalSet: handlers.unary(async ({ key }: Keyed) => {
      await store.deleteEvalSet(fromKey(key));
      return {};
    }),
  };
}

function caseHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    ListEvalCases: handlers.unary(async ({ key, maxBytes = DEFAULT_BYTES }: Keyed & Sized) => ({
      evalIds: [...(await store.listEvalCases(fromKey(key), { maxBytes }))],
    })),
    GetEvalCase: handlers.serverStream(async function* ({ key, evalId, maxBytes = DEFAULT_BYTES }: NamedCase & Sized) {
      yield* messagesOf(await store.getEvalCase({ ...fromKey(key), evalId }, { maxBytes }));
    }),
    AddEvalCase: handlers.clientStream(async (messages: AsyncIterable<AddEvalCaseRequest__Output>) => {
      const { value, first } = await given<EvalCase, AddEvalCaseRequest__Output>(messages);
      await store.addEvalCase(fromKey(first.key), value);
      return {};
    }),
    UpdateEvalCase: handlers.clientStream(async (messages: AsyncIterable<UpdateEvalCaseRequest__Output>) => {
      const { value, first } = await given<EvalCase, UpdateEvalCaseRequest__Output>(messages);
      await store.updateEvalCase(fromKey(first.key), value);
      return {};
    }),
    DeleteEvalCase: handlers.unary(async ({ key, evalId }: NamedCase) => {
      await store.deleteEvalCase({ ...fromKey(key), evalId });
      return {};
    }),
  };
}

function resultHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    SaveEvalSetResult: handlers.clientStream(async (messages: AsyncIterable<SaveEvalSetResultRequest__Output>) => {
      const { value, first } = await given<EvalSetResult, SaveEvalSetResultRequest__Output>(messages);
      await store.saveEvalSetResult(fromApp(first), value);
      return {};
    }),
    ListEvalSetResults: handlers.unary(async (request: AppMessage & After) => ({
      names: [...(await store.listEvalSetResults(fromApp(request), request.after))],
    })),
    GetEvalSetResult: handlers.serverStream(async function* ({
      nameOrId,
      maxBytes = DEFAULT_BYTES,
      ...app
    }: ResultKey & Sized) {
      yield* messagesOf(await store.getEvalSetResult(fromApp(app), nameOrId, { maxBytes }));
    }),
  };
}

interface Keyed {
  readonly key: EvalSetKey__Output | null;
}

interface NamedCase extends Keyed {
  readonly evalId: string;
}

interface Sized {
  readonly maxBytes?: number | undefined;
}

interface After {
  readonly after?: string | undefined;
}

interface AppMessage {
  readonly tenantId: string;
  readonly appName: string;
}

interface ResultKey extends AppMessage {
  readonly nameOrId: string;
}

/** Returns empty names for an absent key; the port refuses them. */
function fromKey(key: EvalSetKey__Output | null): EvalSetKey {
  return key === null ? { appName: "", evalSetId: "" } : { ...fromApp(key), evalSetId: key.evalSetId };
}

function fromApp(app: AppMessage): AppScope {
  return { ...fromTenantMember(app), appName: app.appName };
}

function* messagesOf(found: object | undefined) {
  if (found !== undefined) yield* toJsonChunks(found, {});
}
