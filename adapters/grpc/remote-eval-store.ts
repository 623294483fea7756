import type { EvalSetResult } from "#kit/evaluation/eval-result.ts";
import type { EvalCase, EvalSet } from "#kit/evaluation/eval-set.ts";
import type { CreateEvalSetRequest, EvalCaseKey, EvalSetKey, EvalStore } from "#kit/evaluation/eval-store.ts";
import { assertIdentifier } from "#kit/platform/identifiers.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromJsonPieces, toJsonPieces } from "./messages/json-stream.ts";
import { required } from "./messages/messages.ts";

/**
 * The evaluation service, reached over gRPC. Names of apps and cases are checked before they are sent, because the wire would mend text
 * that is not well-formed.
 */
export class RemoteEvalStore implements EvalStore, AsyncDisposable {
  readonly #methods = loadProto("eval").agentplane.eval.v1.EvalService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "eval", methods: this.#methods });
  }

  async createEvalSet({ appName, ...set }: CreateEvalSetRequest): Promise<EvalSet> {
    assertIdentifier("appName", appName);
    const pieces = this.#peer.exchange(this.#methods.CreateEvalSet, toJsonPieces(set, { appName }));
    return required(await fromJsonPieces<EvalSet, { jsonChunk: Buffer }>(pieces, "The evaluation set")).value;
  }

  async listEvalSets(appName: string): Promise<readonly string[]> {
    assertIdentifier("appName", appName);
    return (await this.#peer.unary(this.#methods.ListEvalSets, { appName })).evalSetIds;
  }

  async getEvalSet(set: EvalSetKey): Promise<EvalSet | undefined> {
    const pieces = this.#peer.serverStream(this.#methods.GetEvalSet, { key: checkedKey(set) });
    return (await fromJsonPieces<EvalSet, { jsonChunk: Buffer }>(pieces, "The evaluation set"))?.value;
  }

  async deleteEvalSet(set: EvalSetKey): Promise<void> {
    await this.#peer.unary(this.#methods.DeleteEvalSet, { key: checkedKey(set) });
  }

  async listEvalCases(set: EvalSetKey): Promise<readonly string[]> {
    return (await this.#peer.unary(this.#methods.ListEvalCases, { key: checkedKey(set) })).evalIds;
  }

  async getEvalCase(evalCase: EvalCaseKey): Promise<EvalCase | undefined> {
    const key = checkedKey(evalCase);
    assertIdentifier("evalId", evalCase.evalId);
    const pieces = this.#peer.serverStream(this.#methods.GetEvalCase, { key, evalId: evalCase.evalId });
    return (await fromJsonPieces<EvalCase, { jsonChunk: Buffer }>(pieces, "The evaluation case"))?.value;
  }

  async addEvalCase(set: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const key = checkedKey(set);
    await this.#peer.clientStream(this.#methods.AddEvalCase, toJsonPieces(evalCase, { key }));
  }

  async updateEvalCase(set: EvalSetKey, evalCase: EvalCase): Promise<void> {
    const key = checkedKey(set);
    await this.#peer.clientStream(this.#methods.UpdateEvalCase, toJsonPieces(evalCase, { key }));
  }

  async deleteEvalCase(evalCase: EvalCaseKey): Promise<void> {
    const key = checkedKey(evalCase);
    assertIdentifier("evalId", evalCase.evalId);
    await this.#peer.unary(this.#methods.DeleteEvalCase, { key, evalId: evalCase.evalId });
  }

  async saveEvalSetResult(appName: string, result: EvalSetResult): Promise<void> {
    assertIdentifier("appName", appName);
    await this.#peer.clientStream(this.#methods.SaveEvalSetResult, toJsonPieces(result, { appName }));
  }

  async listEvalSetResults(appName: string): Promise<readonly string[]> {
    assertIdentifier("appName", appName);
    return (await this.#peer.unary(this.#methods.ListEvalSetResults, { appName })).names;
  }

  async getEvalSetResult(appName: string, nameOrId: string): Promise<EvalSetResult | undefined> {
    assertIdentifier("appName", appName);
    const pieces = this.#peer.serverStream(this.#methods.GetEvalSetResult, { appName, nameOrId });
    return (await fromJsonPieces<EvalSetResult, { jsonChunk: Buffer }>(pieces, "The evaluation result"))?.value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

function checkedKey({ appName, evalSetId }: EvalSetKey): EvalSetKey {
  assertIdentifier("appName", appName);
  return { appName, evalSetId };
}
