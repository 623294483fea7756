import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryQuotaLedger } from "#ports/quota/in-memory-quota-ledger.ts";
import type { QuotaAnswer, QuotaReservation } from "#ports/quota/quota-ledger.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { setCaller } from "../identity/authenticator.ts";
import { StreamSlots } from "./stream-slots.ts";

const ADA = { appName: "app", userId: "ada" };

/** The reply to a request of a caller in the tenant. */
function replyTo(tenantId = "default"): FastifyReply & { readonly raw: ServerResponse } {
  const raw = new IncomingMessage(new Socket());
  setCaller({ raw }, {
    source: "api-key",
    subject: "s",
    tenantId,
    groups: [],
    scopes: new Set(),
    keyId: "k",
    userId: "ada",
  } as never);
  // All that the slots use of a reply.
  return { request: { raw }, raw: new ServerResponse(raw) } as unknown as FastifyReply;
}

async function isTaken(slots: StreamSlots, owner = ADA, tenantId?: string): Promise<boolean> {
  const reply = replyTo(tenantId);
  return slots.take(owner, reply).then(
    () => {
      reply.raw.emit("close");
      return false;
    },
    () => true,
  );
}

it("gives each user of a tenant's app so many slots, which end with their responses", async () => {
  const slots = new StreamSlots(2);
  const [first, second] = [replyTo(), replyTo()];
  await slots.take(ADA, first);
  expect(await isTaken(slots)).toBe(false);
  await slots.take(ADA, second);
  await expect(slots.take(ADA, replyTo())).rejects.toMatchObject({ reason: "TOO_MANY_STREAMS" });
  expect([
    await isTaken(slots, { ...ADA, userId: "eve" }),
    await isTaken(slots, { ...ADA, appName: "other" }),
    await isTaken(slots, ADA, "acme"),
  ]).toEqual([false, false, false]);
  first.raw.emit("close");
  // Closing twice frees one slot.
  first.raw.emit("close");
  await slots.take(ADA, replyTo());
  expect(await isTaken(slots)).toBe(true);
});

it("has no limit of 0", async () => {
  const slots = new StreamSlots(0);
  for (let open = 0; open < 50; open += 1) await slots.take(ADA, replyTo());
});

/** A ledger that answers reservations when the test lets it. */
class HeldLedger extends InMemoryQuotaLedger {
  readonly asked = Promise.withResolvers<void>();
  readonly gate = Promise.withResolvers<void>();

  override async reserve(reservation: QuotaReservation): Promise<QuotaAnswer> {
    this.asked.resolve();
    await this.gate.promise;
    return super.reserve(reservation);
  }
}

it.each(["before", "during", "after"])(
  "frees the slot and the quota of a client that leaves %s the wait",
  async (when) => {
    const ledger = new HeldLedger({ clock: new FixedClock() });
    const slots = new StreamSlots(1, quotasOf("defaults: { user: { openStreams: 1 } }", { ledger }));
    const reply = replyTo();
    if (when === "before") reply.raw.destroy();
    const taken = slots.take(ADA, reply);
    await ledger.asked.promise;
    if (when === "during") {
      reply.raw.destroy();
      reply.raw.emit("close");
    }
    ledger.gate.resolve();
    await taken;
    if (when === "after") {
      expect(await isTaken(slots)).toBe(true);
      reply.raw.emit("close");
    }
    expect(await isTaken(slots)).toBe(false);
  },
);

/** A ledger whose first reservation ends like this. */
class SpoiltLedger extends InMemoryQuotaLedger {
  #first: (() => Promise<QuotaAnswer>) | undefined;

  constructor(first: () => Promise<QuotaAnswer>) {
    super({ clock: new FixedClock() });
    this.#first = first;
  }

  override async reserve(reservation: QuotaReservation): Promise<QuotaAnswer> {
    const first = this.#first;
    this.#first = undefined;
    return first === undefined ? super.reserve(reservation) : first();
  }
}

const FULL = { kind: "refused", index: 0, isReserved: true, states: [{ used: 0, reserved: 1, resetMs: 0 }] } as const;

it.each<[string, () => Promise<QuotaAnswer>, object]>([
  ["the quota is used up", async () => FULL, { reason: "QUOTA_EXCEEDED" }],
  ["the ledger fails", () => Promise.reject(new Error("broken")), { message: "broken" }],
])("frees the slot of a stream that is refused because %s", async (_why, first, error) => {
  const ledger = new SpoiltLedger(first);
  const slots = new StreamSlots(1, quotasOf("defaults: { user: { openStreams: 1 } }", { ledger }));
  await expect(slots.take(ADA, replyTo())).rejects.toMatchObject(error);
  expect(await isTaken(slots)).toBe(false);
});
