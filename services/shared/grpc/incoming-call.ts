import type { PeerCertificate } from "node:tls";
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "#kit/platform/logger.ts";
import type { Authority } from "../security/authority.ts";
import type { Owner } from "../security/principal.ts";

/** The part of a call that is available before its messages are read. */
export interface IncomingCall {
  readonly metadata: Metadata;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The caller's certificate, if the connection has one that the authority has signed. */
  readonly peerCertificate: PeerCertificate | undefined;
}

/** What a handler gets of a call besides its message. */
export interface CallContext extends IncomingCall {
  /** Aborted when the caller has left or its deadline has passed. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly logger: Logger;
  readonly authority: Authority;
  /** Whether the call may read the owner's data; always true if principals are not required. */
  readonly mayReach: (owner: Owner) => boolean;
  /** Checks a request on this shared stream as the call that it represents. */
  readonly piped: <Result>(call: PipedCall<Result>) => Promise<Result>;
}

/** A request on a shared stream. */
export interface PipedCall<Result> {
  /** Of the same service. */
  readonly method: string;
  readonly message: unknown;
  /** The call's metadata; empty for none. */
  readonly principal: string;
  readonly grant?: string;
  readonly traceParent: string;
  readonly work: (authority: Authority) => Promise<Result>;
}
