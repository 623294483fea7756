import type { onRequestHookHandler } from "fastify";
import { setCaller } from "./authenticator.ts";
import { EVERYBODY } from "./caller.ts";

/** Sets the caller of each request. Added after the checks of host and origin, and before any body is read. */
export function authenticateRequests(): onRequestHookHandler {
  return (request, _reply, done) => {
    setCaller(request, EVERYBODY);
    done();
  };
}
