import type { IncomingMessage } from "node:http";
import type { onRequestHookHandler } from "fastify";
import { identify } from "../identity/authenticate-requests.ts";
import type { Authenticator } from "../identity/authenticator.ts";
import type { PageAddress } from "./page-address.ts";

export interface AskOptions {
  readonly authenticators: readonly Authenticator[];
  readonly address: PageAddress;
  /** The path below which a program has mounted the routes; it is part of the requests' paths. */
  readonly mountPath: string;
}

/** Redirects requests for a page by nobody who is signed in to the login page, which leads back to the page. */
export function askToSignIn({ authenticators, address, mountPath }: AskOptions): onRequestHookHandler {
  return async (request, reply) => {
    if (await isSignedIn(authenticators, request.raw)) return;
    const query = new URLSearchParams({ next: request.url.slice(mountPath.length) });
    return reply.redirect(`${address.path}/auth/login?${query}`, 302);
  };
}

/** False also for credentials that are wrong or cannot be checked now. */
async function isSignedIn(authenticators: readonly Authenticator[], request: IncomingMessage): Promise<boolean> {
  try {
    await identify(authenticators, request);
    return true;
  } catch {
    return false;
  }
}
