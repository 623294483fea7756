import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type Authenticator, setCaller } from "./authenticator.ts";
import { type Caller, EVERYBODY, NOBODY } from "./caller.ts";

export interface AuthenticateOptions {
  /** Asked in this order. Undefined for a server without authentication. */
  readonly authenticators: readonly Authenticator[] | undefined;
  /** Whether the request is for a route that needs no credentials. */
  readonly isPublic: (request: FastifyRequest) => boolean;
}

/** Sets the caller of each request. Added after the checks of host and origin, and before any body is read. */
export function authenticateRequests({ authenticators, isPublic }: AuthenticateOptions): onRequestHookHandler {
  if (authenticators === undefined)
    return (request, _reply, done) => {
      setCaller(request, EVERYBODY);
      done();
    };
  return (request, reply, done) => {
    if (isPublic(request)) {
      setCaller(request, NOBODY);
      return done();
    }
    identify(request.raw, authenticators).then(
      (caller) => {
        setCaller(request, caller);
        done();
      },
      refuse(reply, done),
    );
  };
}

async function identify(request: IncomingMessage, authenticators: readonly Authenticator[]): Promise<Caller> {
  for (const authenticator of authenticators) {
    const caller = await authenticator.authenticate(request);
    if (caller !== undefined) return caller;
  }
  throw new PlatformError("UNAUTHENTICATED", "The request has no credentials that this server accepts.");
}

function refuse(reply: FastifyReply, done: (error: Error) => void): (error: Error) => void {
  return (error) => {
    if (error instanceof PlatformError && error.httpStatus === 401) reply.header("www-authenticate", "Bearer");
    done(error);
  };
}
