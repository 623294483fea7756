import type { IncomingMessage } from "node:http";
import type { Clock } from "#kit/platform/clock.ts";
import { randomText } from "#kit/platform/random-text.ts";
import { Type } from "#kit/schema/shape.ts";
import type { IdempotencyStore } from "#ports/idempotency/idempotency-store.ts";
import type { RouteDeps } from "../deps.ts";
import { type Authenticator, callerOf } from "../identity/authenticator.ts";
import type { Caller } from "../identity/caller.ts";
import { ticketOf } from "../identity/handshake-credentials.ts";
import { invalidCredentials } from "../identity/refusals.ts";
import type { Scope } from "../identity/scopes.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

/** Shorter than the store keeps a claim, so that no ticket can be used again after the store has forgotten its use. */
const TICKET_MS = 30_000;
const TICKET_BYTES = 32;
const TICKET = /^[A-Za-z0-9_-]{43}$/;

const TicketSchema = Type.Object({
  ticket: Type.String({ description: "For one handshake: the query `ticket`, or a sub-protocol `ticket.…`." }),
  expiresInMs: Type.Integer(),
});

const CREATE = described({
  operationId: "createLiveTicket",
  answer: "small",
  access: { scope: "runs:write", owner: "caller" },
  tags: ["runs"],
  summary: "Get a ticket, for a page that opens a live run",
  description:
    "Pages cannot set headers of a WebSocket, and a token must not be in an address. A ticket stands for the caller of this request, once, within 30 seconds.",
  response: answers({ 201: TicketSchema }),
});

/** Creates tickets. A ticket is only in the store of idempotency keys, which all gateways share. */
export function liveTicketRoutes({ clock, liveRunner, unguarded }: RouteDeps): TypedRoutes {
  const { idempotencyStore: store } = unguarded;
  return async (app) => {
    if (liveRunner === undefined) return;
    app.post("/v1/live-tickets", { schema: CREATE }, async (request, reply) => {
      const ticket = randomText(TICKET_BYTES);
      await store.claim(issued(ticket), JSON.stringify(toRecord(callerOf(request), clock.now() + TICKET_MS)));
      return reply.code(201).send({ ticket, expiresInMs: TICKET_MS });
    });
  };
}

/** Identifies handshakes by their tickets. Each ticket is accepted once. */
export function ticketAuthenticator(store: Pick<IdempotencyStore, "claim">, clock: Clock): Authenticator {
  const authenticate = async (ticket: string): Promise<Caller> => {
    if (!TICKET.test(ticket)) throw refused();
    // An unknown ticket is claimed by this, and so is none.
    const known = await store.claim(issued(ticket), "");
    const record = known?.fingerprint ? (JSON.parse(known.fingerprint) as TicketRecord) : undefined;
    if (record === undefined || clock.now() > record.expiresAt) throw refused();
    if ((await store.claim(`live-ticket-used:${ticket}`, "")) !== undefined) throw refused();
    return { ...record.caller, scopes: new Set(record.caller.scopes) };
  };
  return {
    authenticate: (request: IncomingMessage) => {
      const ticket = ticketOf(request);
      return ticket === undefined ? undefined : authenticate(ticket);
    },
  };
}

interface TicketRecord {
  readonly caller: Omit<Caller, "scopes"> & { readonly scopes: readonly Scope[] };
  readonly expiresAt: number;
}

function toRecord(caller: Caller, expiresAt: number): TicketRecord {
  return { caller: { ...caller, scopes: [...caller.scopes] }, expiresAt };
}

/** Clients choose no keys of this form: theirs are digests. */
function issued(ticket: string): string {
  return `live-ticket:${ticket}`;
}

function refused(): Error {
  return invalidCredentials("The ticket is not valid: it was used, or it is older than 30 seconds. Get a new one.");
}
