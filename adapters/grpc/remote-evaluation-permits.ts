import { inTenant } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromTimestamp, toSessionKeyMessage, toTimestamp } from "./messages/messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

/** The sessions that an evaluation may use. */
export interface EvaluationPermitRequest {
  readonly tenantId?: string | undefined;
  readonly appName: string;
  /** All users if absent. */
  readonly userId?: string | undefined;
  readonly jobId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

export interface EvaluationGrant {
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** Requests permits and grants for evaluations from the session service. */
export class RemoteEvaluationPermits implements AsyncDisposable {
  readonly #methods = loadProto("session").fairlead.session.v1.SessionService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "session", methods: this.#methods });
  }

  /** The permit of an evaluation; undefined if the services do not check their callers. */
  async allow({ tenantId, appName, userId, jobId, deadlineMs }: EvaluationPermitRequest): Promise<string | undefined> {
    const { permit } = await this.#peer.unary(this.#methods.AllowEvaluation, {
      ...{ ...toTenantMember(inTenant(tenantId)), appName, jobId, deadline: toTimestamp(deadlineMs) },
      ...(userId !== undefined && { userId }),
    });
    return permit === "" ? undefined : permit;
  }

  /** A grant for a session of the evaluation whose permit the call carries. */
  async grant(session: SessionKey): Promise<EvaluationGrant> {
    const { grant, expires } = await this.#peer.unary(this.#methods.GrantEvaluation, {
      key: toSessionKeyMessage(session),
    });
    return { text: grant, expiresAtMs: fromTimestamp(expires) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}
