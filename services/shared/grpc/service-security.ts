import type { ServerCredentials } from "@grpc/grpc-js";
import type { CallFacts } from "#adapters/grpc/channel/call-interceptor.ts";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { assertSecure } from "../security/bind-guard.ts";
import { type ServiceName, SHARED_STREAMS } from "../security/call-graph.ts";
import { currentCallScope } from "../security/call-scope.ts";
import { Certificates } from "../security/certificates.ts";
import { EVERY_USER_SCOPE, type Principal } from "../security/principal.ts";
import type { SecurityConfig } from "../security/security-settings.ts";
import { AcceptedTokens, OwnToken } from "../security/service-tokens.ts";
import { invalid, SignedPrincipals } from "../security/signed-principals.ts";
import { CallerCheck } from "./caller-check.ts";
import type { GrpcHandlersOptions } from "./grpc-handlers.ts";

export interface ServiceSecurityOptions {
  readonly config: SecurityConfig;
  /** The name of this process's service. */
  readonly self: ServiceName;
  readonly logger: Logger;
  readonly clock: Clock;
}

/**
 * What a process needs to call other services and to be called. A server: `createSessionServer({ ...security.server,
 * sessions, journal, logger })`. A peer: `new RemoteSessionService({ ...security.peer("session"), clock, timeoutMs,
 * address })`.
 */
export interface ServiceSecurity extends Disposable {
  /** Of the server: its allowed callers and owners. Spread into the dependencies of the gRPC server. */
  readonly server: Pick<GrpcHandlersOptions, "authorize" | "verifyPrincipal"> & {
    readonly credentials?: ServerCredentials;
    readonly reflection: boolean;
  };
  /** Of a channel to another service. Spread into the options of the peer. */
  peer(name: ServiceName): Pick<PeerOptions, "facts" | "credentials" | "serverName">;
  /** Whether principals are signed and required, so that requests and runs must enter a call scope. */
  readonly signsPrincipals: boolean;
}

/**
 * The runner's own maintenance, such as ending abandoned runs, is done for all users; a run's calls use the run's
 * scope.
 */
const UPKEEP: Principal = { tenantId: DEFAULT_TENANT, scopes: [EVERY_USER_SCOPE] };

/**
 * Reads the files that the settings name. Throws `CONFIGURATION` if they cannot be used, or if the process would be
 * open to other machines.
 */
export function openServiceSecurity({ config, self, logger, clock }: ServiceSecurityOptions): ServiceSecurity {
  assertSecure(config);
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, SERVICE_TOKEN_FILE, SERVICE_TOKENS_DIR, PRINCIPAL_KEY_FILE } =
    config;
  const sources = { clock, logger };
  const ownToken = SERVICE_TOKEN_FILE === "" ? undefined : new OwnToken(SERVICE_TOKEN_FILE, sources);
  const tokens = SERVICE_TOKENS_DIR === "" ? undefined : new AcceptedTokens(SERVICE_TOKENS_DIR, sources);
  const principals =
    PRINCIPAL_KEY_FILE === "" ? undefined : new SignedPrincipals({ keyFile: PRINCIPAL_KEY_FILE, ...sources });
  const certificates =
    TLS_CERT_FILE === ""
      ? undefined
      : new Certificates(
          { certificateFile: TLS_CERT_FILE, privateKeyFile: TLS_KEY_FILE, authorityFile: TLS_CA_FILE },
          logger,
        );
  const facts = (path: string): CallFacts => {
    const isShared = SHARED_STREAMS.has(path);
    const scope = isShared ? undefined : currentCallScope();
    const principal = scope?.principal ?? (self === "runner" && !isShared ? UPKEEP : undefined);
    return {
      ...(ownToken !== undefined && { serviceToken: ownToken.text }),
      ...(principals !== undefined && principal !== undefined && { principal: principals.sign(principal) }),
      ...(scope?.traceParent !== undefined && { traceParent: scope.traceParent }),
    };
  };
  return {
    server: {
      ...((tokens !== undefined || certificates !== undefined) && {
        authorize: new CallerCheck({ self, tokens, certificates: certificates !== undefined }).authorize,
      }),
      ...(principals !== undefined && { verifyPrincipal: (text) => verified(text, principals) }),
      ...(certificates !== undefined && { credentials: certificates.serverCredentials() }),
      reflection: config.GRPC_REFLECTION,
    },
    peer: (name) => ({
      facts,
      ...(certificates !== undefined && { credentials: certificates.channelCredentials(name), serverName: name }),
    }),
    signsPrincipals: principals !== undefined,
    [Symbol.dispose]: () => certificates?.[Symbol.dispose](),
  };
}

function verified(text: string | undefined, principals: SignedPrincipals): Principal {
  if (text === undefined) throw invalid();
  return principals.verify(text);
}
