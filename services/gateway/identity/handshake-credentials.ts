import type { IncomingMessage } from "node:http";

/** Browsers cannot set headers of a handshake; a sub-protocol with this prefix has what would be in `Authorization`. */
const BEARER_PROTOCOL = "bearer.";
const TICKET_PROTOCOL = "ticket.";

/** The token of a handshake that has it as a sub-protocol, as in `new WebSocket(url, ["fairlead.live", "bearer.…"])`. */
export function protocolToken(request: Pick<IncomingMessage, "headers">): string | undefined {
  return secretProtocol(request, BEARER_PROTOCOL);
}

/** The ticket of a handshake for a live run, as a sub-protocol or in the query. */
export function ticketOf(request: Pick<IncomingMessage, "headers" | "url">): string | undefined {
  const { url = "", headers } = request;
  if (headers.upgrade === undefined || !/\/run_live(?:\?|$)/.test(url)) return undefined;
  return secretProtocol(request, TICKET_PROTOCOL) ?? ticketInQuery(request);
}

/** The sub-protocol that the server chooses: the first that is not a secret. */
export function chooseProtocol(protocols: ReadonlySet<string>): string | false {
  for (const each of protocols) if (!each.startsWith(BEARER_PROTOCOL) && !each.startsWith(TICKET_PROTOCOL)) return each;
  return false;
}

function secretProtocol({ headers }: Pick<IncomingMessage, "headers">, prefix: string): string | undefined {
  const { upgrade, "sec-websocket-protocol": protocols } = headers;
  if (upgrade === undefined || protocols === undefined) return undefined;
  const found = protocols.split(",").find((each) => each.trim().startsWith(prefix));
  return found?.trim().slice(prefix.length);
}

function ticketInQuery({ url = "" }: Pick<IncomingMessage, "url">): string | undefined {
  const query = url.indexOf("?");
  return query === -1 ? undefined : (new URLSearchParams(url.slice(query)).get("ticket") ?? undefined);
}
