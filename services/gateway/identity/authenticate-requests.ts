import type { IncomingMessage } from "node:http";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Authenticator, setCaller } from "./authenticator.ts";
import { type Caller, EVERYBODY, NO_CALLER } from "./caller.ts";
import type { IdentityConfig } from "./identity-settings.ts";
import { invalidCredentials } from "./refusals.ts";

export interface AuthenticateOptions {
  readonly config: Pick<IdentityConfig, "AUTH">;
  /** Asked in this order. Undefined for a server without authentication. */
  readonly authenticators: readonly Authenticator[] | undefined;
  /** Whether the request is for a route that needs no credentials. */
  readonly isPublic: (request: FastifyRequest) => boolean;
}

/**
 * Sets the caller of each request, or refuses it. Added after the checks of host and origin, and before any body is
 * read. Throws `CONFIGURATION` if callers must be authenticated and nothing does.
 */
export function authenticateRequests({ config, authenticators, isPublic }: AuthenticateOptions): onRequestHookHandler {
  if (authenticators === undefined) {
    if (config.AUTH.some((kind) => kind !== "none"))
      throw new PlatformError("CONFIGURATION", `AUTH is ${config.AUTH.join(",")}, and nothing authenticates callers.`);
    return (request, _reply, done) => {
      setCaller(request, EVERYBODY);
      done();
    };
  }
  return (request, _reply, done) => {
    const identified = (caller: Caller): void => {
      setCaller(request, caller);
      done();
    };
    if (isPublic(request)) return identified(NO_CALLER);
    const refused = (error: unknown): void => done(error instanceof Error ? error : new Error(String(error)));
    let found: Caller | Promise<Caller>;
    try {
      found = identify(authenticators, request.raw);
    } catch (error) {
      return refused(error);
    }
    if (found instanceof Promise) found.then(identified, refused);
    else identified(found);
  };
}

/**
 * The caller of a request; no promise if nothing has to be awaited. Throws `UNAUTHENTICATED` if no authenticator
 * identifies it, and what the authenticators throw.
 */
export function identify(authenticators: readonly Authenticator[], request: IncomingMessage): Caller | Promise<Caller> {
  for (const [index, authenticator] of authenticators.entries()) {
    const found = authenticator.authenticate(request);
    if (found instanceof Promise)
      return found.then((caller) => caller ?? identify(authenticators.slice(index + 1), request));
    if (found !== undefined) return found;
  }
  throw unidentified(request);
}

function unidentified({ headers }: IncomingMessage): PlatformError {
  if (headers.authorization === undefined && headers["x-api-key"] === undefined)
    return new PlatformError(
      "UNAUTHENTICATED",
      "The request has no credentials. Send them in the header Authorization.",
    );
  return invalidCredentials("This server accepts no credentials of this kind (AUTH).");
}
