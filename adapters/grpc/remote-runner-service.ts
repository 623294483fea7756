import { assertSessionKey } from "#kit/platform/identifiers.ts";
import type { AppInfo, RunnerService, StartRunRequest } from "#kit/runner/runner-service.ts";
import type { RunRecord } from "#kit/sessions/run-record.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { GrpcPeer, type PeerOptions } from "./grpc-peer.ts";
import { fromJsonBytes, toDuration, toJsonBytes } from "./messages.ts";
import { loadProto } from "./proto.ts";
import { fromRunMessage, toPolicyMessage } from "./run-messages.ts";

/** A runner, reached over gRPC. */
export class RemoteRunnerService implements RunnerService, AsyncDisposable {
  readonly #methods = loadProto("runner").agentplane.runner.v1.RunnerService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "runner", methods: this.#methods });
  }

  async startRun({ session, request, policy, idempotencyKey, timeoutMs }: StartRunRequest): Promise<RunRecord> {
    assertSessionKey(session);
    const { run } = await this.#peer.unary(this.#methods.StartRun, {
      session: sessionKey(session),
      requestJson: toJsonBytes(request),
      ...(policy !== undefined && { policy: toPolicyMessage(policy) }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(timeoutMs !== undefined && { timeout: toDuration(timeoutMs) }),
    });
    return fromRunMessage(run);
  }

  async cancelRun(runId: string): Promise<RunRecord> {
    return fromRunMessage((await this.#peer.unary(this.#methods.CancelRun, { runId })).run);
  }

  async listApps(): Promise<readonly string[]> {
    return (await this.#peer.unary(this.#methods.ListApps, {})).appNames;
  }

  async describeApp(appName: string): Promise<AppInfo> {
    const { appJson } = await this.#peer.unary(this.#methods.DescribeApp, { appName });
    return fromJsonBytes<AppInfo>(appJson, "The description of the app");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}
