import type { PeerCertificate } from "node:tls";
import type { Metadata } from "@grpc/grpc-js";
import type { Logger } from "#kit/platform/logger.ts";
import type { Owner, Principal } from "../security/principal.ts";

/** What is known of a call before its messages are read. */
export interface IncomingCall {
  readonly metadata: Metadata;
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Of the caller, when the connection was made with one that the authority vouches for. */
  readonly peerCertificate: PeerCertificate | undefined;
}

/** What a handler may know of a call besides its message. */
export interface CallContext extends IncomingCall {
  /** Aborts when the caller has left, or its deadline has passed. */
  readonly signal: AbortSignal;
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly logger: Logger;
  /** Whether the call is made for somebody who may know of what the owner has; always, where principals are not demanded. */
  readonly mayReach: (owner: Owner) => boolean;
  readonly principal: Principal | undefined;
  /** Lets a request on this shared stream in as the call that it stands for. */
  readonly piped: <Result>(call: PipedCall<Result>) => Promise<Result>;
}

/** A request on a shared stream. */
export interface PipedCall<Result> {
  /** Of the same service. */
  readonly method: string;
  readonly message: unknown;
  /** What the call would have in its metadata; empty for nothing. */
  readonly principal: string;
  readonly traceParent: string;
  readonly work: () => Promise<Result>;
}
