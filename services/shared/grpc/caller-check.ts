import { CALL_HEADERS } from "#adapters/grpc/channel/call-interceptor.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { credentialOf, type ServiceName } from "../security/call-graph.ts";
import { serviceOf } from "../security/certificates.ts";
import type { AcceptedTokens } from "../security/service-tokens.ts";
import type { IncomingCall } from "./incoming-call.ts";

export interface CallerCheckOptions {
  readonly self: ServiceName;
  /** Required of each call if present. */
  readonly tokens: AcceptedTokens | undefined;
  /** Whether connections use certificates, which must then name the caller. */
  readonly certificates: boolean;
}

/**
 * Allows the calls of declared callers. If both token and certificate are required, they must name the same service.
 */
export class CallerCheck {
  readonly #options: CallerCheckOptions;

  constructor(options: CallerCheckOptions) {
    this.#options = options;
  }

  /** The calling service. Throws `CALLER_UNKNOWN` and `CALLER_NOT_ALLOWED`. */
  readonly authorize = (call: IncomingCall): ServiceName => {
    const caller = this.#callerOf(call);
    if (credentialOf(call.path, caller) !== undefined) return caller;
    throw new PlatformError(
      "CALLER_NOT_ALLOWED",
      `The ${caller} service may not call ${call.path.slice(1)} of the ${this.#options.self} service.`,
      { details: { caller } },
    );
  };

  #callerOf(call: IncomingCall): ServiceName {
    const { tokens, certificates } = this.#options;
    const certified = certificates ? callerByCertificate(call) : undefined;
    const named = tokens === undefined ? undefined : callerByToken(call, tokens);
    const caller = certified ?? named;
    if (caller === undefined || (named !== undefined && caller !== named))
      throw unknown("Its certificate and its token name different services.");
    return caller;
  }
}

function callerByCertificate({ peerCertificate }: IncomingCall): ServiceName {
  const caller = peerCertificate === undefined ? undefined : serviceOf(peerCertificate);
  if (caller === undefined) throw unknown("Its certificate names no service: give it a DNS name such as runner.");
  return caller;
}

function callerByToken({ metadata }: IncomingCall, tokens: AcceptedTokens): ServiceName {
  const [token] = metadata.get(CALL_HEADERS.serviceToken);
  if (typeof token !== "string") throw unknown("It carries no token: set SERVICE_TOKEN_FILE of the calling service.");
  const caller = tokens.callerOf(token);
  if (caller === undefined) throw unknown("Its token is not accepted: add it to SERVICE_TOKENS_DIR of this service.");
  return caller;
}

function unknown(why: string): PlatformError {
  return new PlatformError("CALLER_UNKNOWN", `The call does not come from a known service. ${why}`);
}
