import type { ServerCredentials } from "@grpc/grpc-js";
import type { CallFacts } from "#adapters/grpc/channel/call-interceptor.ts";
import type { PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import type { Clock } from "#kit/platform/clock.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import type { Logger } from "#kit/platform/logger.ts";
import { assertSecure } from "../security/bind-guard.ts";
import { CallAdmission } from "../security/call-admission.ts";
import { credentialOf, type ServiceName } from "../security/call-graph.ts";
import { currentCallScope } from "../security/call-scope.ts";
import { Certificates } from "../security/certificates.ts";
import type { GrantIssuer } from "../security/grant-issuer.ts";
import type { NamedKey } from "../security/key-files.ts";
import { openCallKeys } from "../security/open-call-keys.ts";
import type { PrincipalSigner } from "../security/principal-signer.ts";
import type { SecurityConfig } from "../security/security-settings.ts";
import { AcceptedTokens, OwnToken } from "../security/service-tokens.ts";
import { CallerCheck } from "./caller-check.ts";
import type { GrpcHandlersOptions } from "./grpc-handlers.ts";

export interface ServiceSecurityOptions {
  readonly config: SecurityConfig;
  /** The name of this process's service. */
  readonly self: ServiceName;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/**
 * What a process needs to call other services and to be called. A server: `createSessionServer({ ...security.server,
 * sessions, journal, logger })`. A peer: `new RemoteSessionService({ ...security.peer("session"), clock, timeoutMs,
 * address })`.
 */
export interface ServiceSecurity extends Disposable {
  /** Of the server: its allowed callers and owners. Spread into the dependencies of the gRPC server. */
  readonly server: Pick<GrpcHandlersOptions, "authorize" | "admit"> & {
    readonly credentials?: ServerCredentials;
    readonly reflection: boolean;
  };
  /** Of a channel to another service. Spread into the options of the peer. */
  peer(name: ServiceName): Pick<PeerOptions, "facts" | "credentials" | "serverName" | "onGrant">;
  /** Whether this process signs principals, so that requests must enter a call scope. */
  readonly signsPrincipals: boolean;
  /** Signs the grants of runs, in the session service. */
  readonly grants: GrantIssuer | undefined;
  /** The private keys of grants, in the session service; the first signs. */
  readonly grantKeys: (() => readonly NamedKey[]) | undefined;
}

/**
 * Reads the files that the settings name. Throws `CONFIGURATION` if they cannot be used, or if the process would be
 * open to other machines.
 */
export function openServiceSecurity({ config, self, logger, clock, ids }: ServiceSecurityOptions): ServiceSecurity {
  assertSecure(config);
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE, SERVICE_TOKEN_FILE, SERVICE_TOKENS_DIR } = config;
  const sources = { clock, logger };
  const ownToken = SERVICE_TOKEN_FILE === "" ? undefined : new OwnToken(SERVICE_TOKEN_FILE, sources);
  const tokens = SERVICE_TOKENS_DIR === "" ? undefined : new AcceptedTokens(SERVICE_TOKENS_DIR, sources);
  const keys = openCallKeys(config, { ...sources, ids });
  const { signer, principals, grantIssuer, grantKeys } = keys;
  const certificates =
    TLS_CERT_FILE === ""
      ? undefined
      : new Certificates(
          { certificateFile: TLS_CERT_FILE, privateKeyFile: TLS_KEY_FILE, authorityFile: TLS_CA_FILE },
          logger,
        );
  return {
    server: {
      ...((tokens !== undefined || certificates !== undefined) && {
        authorize: new CallerCheck({ self, tokens, certificates: certificates !== undefined }).authorize,
      }),
      admit: principals && new CallAdmission({ ...keys, self, principals }).admit,
      credentials: certificates?.serverCredentials(),
      reflection: config.GRPC_REFLECTION,
    },
    peer: (name) => ({
      facts: (path) => ({
        serviceToken: ownToken?.text,
        ...factsOfScope(path, { self, callee: name, signer }),
      }),
      onGrant: keepGrant,
      ...(certificates !== undefined && { credentials: certificates.channelCredentials(name), serverName: name }),
    }),
    signsPrincipals: signer !== undefined,
    grants: grantIssuer,
    grantKeys,
    [Symbol.dispose]: () => certificates?.[Symbol.dispose](),
  };
}

interface Calling {
  readonly self: ServiceName;
  readonly callee: ServiceName;
  /** In gateways. */
  readonly signer: PrincipalSigner | undefined;
}

/** The credentials of a call: a gateway signs a principal for its request, a runner passes on those of its run. */
function factsOfScope(path: string, { self, callee, signer }: Calling): CallFacts {
  const credential = credentialOf(path, self);
  const scope = currentCallScope();
  if (scope === undefined || credential === undefined || credential === "each") return {};
  const { traceParent, principal, credentials } = scope;
  const traced = traceParent === undefined ? {} : { traceParent };
  if (credential === "nothing" || credential === "upkeep") return traced;
  if (signer !== undefined && principal !== undefined) return { ...traced, principal: signer.sign(principal, callee) };
  const grant = callee === "session" ? credentials?.grant : (credentials?.signed?.text ?? credentials?.grant);
  if (grant !== undefined) return { ...traced, grant };
  const passed = credentials?.principal;
  return passed === undefined ? traced : { ...traced, principal: passed };
}

/** The calls of a run carry its newest grant. */
function keepGrant(grant: string): void {
  const credentials = currentCallScope()?.credentials;
  if (credentials !== undefined) credentials.grant = grant;
}
