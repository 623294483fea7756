import type { IncomingMessage } from "node:http";
import type { onRequestHookHandler } from "fastify";
import { identify } from "../identity/authenticate-requests.ts";
import { type Authenticator, setCaller } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import type { PageAddress } from "./page-address.ts";

export interface PageHookOptions {
  readonly authenticators: readonly Authenticator[];
  /** Absent where pages cannot sign in: then they are shown to everybody, and what they request is refused. */
  readonly address: PageAddress | undefined;
  /** The path below which a program has mounted the routes; it is part of the requests' paths. */
  readonly mountPath: string;
}

/**
 * Returns the hook for routes of pages. It sets the request's caller if somebody is signed in, and otherwise redirects
 * to the login page, which leads back to the page.
 */
export function askToSignIn({ authenticators, address, mountPath }: PageHookOptions): onRequestHookHandler {
  return async (request, reply) => {
    const caller = await signedIn(authenticators, request.raw);
    if (caller !== undefined) setCaller(request, caller);
    if (caller !== undefined || address === undefined) return;
    const query = new URLSearchParams({ next: request.url.slice(mountPath.length) });
    return reply.redirect(`${address.path}/auth/login?${query}`, 302);
  };
}

/** Undefined also for credentials that are wrong or cannot be checked now. */
async function signedIn(
  authenticators: readonly Authenticator[],
  request: IncomingMessage,
): Promise<Caller | undefined> {
  try {
    return await identify(authenticators, request);
  } catch {
    return undefined;
  }
}
