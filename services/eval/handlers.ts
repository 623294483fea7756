import { fromJsonPieces, type JoinedJson, toJsonPieces } from "#adapters/grpc/messages/json-stream.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase } from "#kit/evaluation/eval-set.ts";
import type { CreateEvalSetRequest, EvalSetKey, EvalStore } from "#kit/evaluation/eval-store.ts";
import type { AddEvalCaseRequest__Output } from "#proto/agentplane/eval/v1/AddEvalCaseRequest.ts";
import type { CreateEvalSetRequest__Output } from "#proto/agentplane/eval/v1/CreateEvalSetRequest.ts";
import type { EvalServiceHandlers } from "#proto/agentplane/eval/v1/EvalService.ts";
import type { EvalSetKey__Output } from "#proto/agentplane/eval/v1/EvalSetKey.ts";
import type { SaveEvalSetResultRequest__Output } from "#proto/agentplane/eval/v1/SaveEvalSetResultRequest.ts";
import type { UpdateEvalCaseRequest__Output } from "#proto/agentplane/eval/v1/UpdateEvalCaseRequest.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";

/** Answers the calls of the evaluation service from any `EvalStore`. */
export function evalHandlers(store: EvalStore, handlers: GrpcHandlers): EvalServiceHandlers {
  return { ...setHandlers(store, handlers), ...caseHandlers(store, handlers), ...resultHandlers(store, handlers) };
}

function setHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    CreateEvalSet: handlers.bidi(async function* (pieces: AsyncIterable<CreateEvalSetRequest__Output>) {
      const { value, first } = await given<CreateEvalSetRequest, CreateEvalSetRequest__Output>(pieces);
      yield* toJsonPieces(await store.createEvalSet({ ...value, appName: first.appName }), {});
    }),
    ListEvalSets: handlers.unary(async ({ appName }: { appName: string }) => ({
      evalSetIds: [...(await store.listEvalSets(appName))],
    })),
    GetEvalSet: handlers.serverStream(async function* ({ key }: Keyed) {
      yield* piecesOf(await store.getEvalSet(fromKey(key)));
    }),
    DeleteEvalSet: handlers.unary(async ({ key }: Keyed) => {
      await store.deleteEvalSet(fromKey(key));
      return {};
    }),
  };
}

function caseHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    ListEvalCases: handlers.unary(async ({ key }: Keyed) => ({
      evalIds: [...(await store.listEvalCases(fromKey(key)))],
    })),
    GetEvalCase: handlers.serverStream(async function* ({ key, evalId }: Keyed & { evalId: string }) {
      yield* piecesOf(await store.getEvalCase({ ...fromKey(key), evalId }));
    }),
    AddEvalCase: handlers.clientStream(async (pieces: AsyncIterable<AddEvalCaseRequest__Output>) => {
      const { value, first } = await given<EvalCase, AddEvalCaseRequest__Output>(pieces);
      await store.addEvalCase(fromKey(first.key), value);
      return {};
    }),
    UpdateEvalCase: handlers.clientStream(async (pieces: AsyncIterable<UpdateEvalCaseRequest__Output>) => {
      const { value, first } = await given<EvalCase, UpdateEvalCaseRequest__Output>(pieces);
      await store.updateEvalCase(fromKey(first.key), value);
      return {};
    }),
    DeleteEvalCase: handlers.unary(async ({ key, evalId }: Keyed & { evalId: string }) => {
      await store.deleteEvalCase({ ...fromKey(key), evalId });
      return {};
    }),
  };
}

function resultHandlers(store: EvalStore, handlers: GrpcHandlers) {
  return {
    SaveEvalSetResult: handlers.clientStream(async (pieces: AsyncIterable<SaveEvalSetResultRequest__Output>) => {
      const { value, first } = await given<EvalSetResult, SaveEvalSetResultRequest__Output>(pieces);
      await store.saveEvalSetResult(first.appName, value);
      return {};
    }),
    ListEvalSetResults: handlers.unary(async ({ appName }: { appName: string }) => ({
      names: [...(await store.listEvalSetResults(appName))],
    })),
    GetEvalSetResult: handlers.serverStream(async function* ({ appName, nameOrId }: ResultKey) {
      yield* piecesOf(await store.getEvalSetResult(appName, nameOrId));
    }),
  };
}

interface Keyed {
  readonly key: EvalSetKey__Output | null;
}

interface ResultKey {
  readonly appName: string;
  readonly nameOrId: string;
}

/** An absent key becomes one of empty names, which the port refuses. */
function fromKey(key: EvalSetKey__Output | null): EvalSetKey {
  return { appName: key?.appName ?? "", evalSetId: key?.evalSetId ?? "" };
}

async function given<Value, Piece extends { readonly jsonChunk: Buffer }>(
  pieces: AsyncIterable<Piece>,
): Promise<JoinedJson<Value, Piece>> {
  const joined = await fromJsonPieces<Value, Piece>(pieces, "The evaluation data");
  if (joined === undefined)
    throw new PlatformError("INVALID_FIELD", "The call brings no message.", { details: { field: "jsonChunk" } });
  return joined;
}

function* piecesOf(found: object | undefined) {
  if (found !== undefined) yield* toJsonPieces(found, {});
}
