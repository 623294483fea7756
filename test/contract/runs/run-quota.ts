import { describe, expect, it } from "vitest";
import { RUN_QUOTA_QUEUE_MS, type RunPlace, type RunQuota, type RunQuotaAnswer } from "#ports/runs/run-quota.ts";

export interface RunQuotaContract {
  /** The same count in two processes. */
  readonly create: () => Promise<{
    readonly ends: readonly [RunQuota, RunQuota];
    /** Resolves when so much time has passed for the counter. */
    readonly pass: (ms: number) => Promise<void>;
    readonly dispose: () => Promise<void>;
  }>;
}

const LEASE_MS = 60_000;
const TRY = { waits: false } as const;
const WAIT = { waits: true } as const;

let places = 0;

interface Limits {
  readonly tenantId?: string;
  readonly appName?: string;
  readonly userId?: string;
  readonly maxOfApp?: number;
  /** Of the user in the app. */
  readonly maxOfUser?: number;
  readonly leaseMs?: number;
}

function place({ tenantId, appName = "app", userId = "ada", leaseMs = LEASE_MS, ...limits }: Limits = {}): RunPlace {
  places += 1;
  const { maxOfApp, maxOfUser } = limits;
  return {
    id: `place-${places}`,
    ...(tenantId !== undefined && { tenantId }),
    limits: [
      ...(maxOfUser === undefined ? [] : [{ name: `user:${appName}\n${userId}`, max: maxOfUser }]),
      ...(maxOfApp === undefined ? [] : [{ name: `app:${appName}`, max: maxOfApp }]),
    ],
    leaseMs,
  };
}

/** `taken`, or what the limit is of that is reached. */
function kindOf(answer: RunQuotaAnswer): string | undefined {
  return answer.kind === "full" ? answer.limit.name.split(":")[0] : answer.kind;
}

export function runQuotaContract({ create }: RunQuotaContract): void {
  const cases: readonly (readonly [string, Limits, readonly Limits[], string])[] = [
    ["of an app, for all users together", { maxOfApp: 2 }, [{ userId: "bob" }, { userId: "käthe {x}" }], "app"],
    ["of a user in an app", { maxOfUser: 2 }, [{}, {}], "user"],
    ["of a user before those of the app", { maxOfApp: 2, maxOfUser: 2 }, [{}, {}], "user"],
  ];
  describe("places for runs", () => {
    it.each(cases)(
      "are so many %s, over all ends, and are to be had again when they are left",
      async (_, limits, first, of) => {
        const { ends, dispose } = await create();
        const taken = first.map((one) => place({ ...limits, ...one }));
        expect(
          [await ends[0].take(taken[0] ?? place(), TRY), await ends[1].take(taken[1] ?? place(), TRY)].map(kindOf),
        ).toEqual(["taken", "taken"]);
        for (const end of ends) expect(kindOf(await end.take(place(limits), TRY))).toBe(of);
        ends[0].leave(taken[0] ?? place());
        await expect.poll(async () => kindOf(await ends[1].take(place(limits), TRY))).toBe("taken");
        expect(kindOf(await ends[0].take(place(limits), TRY))).toBe(of);
        await dispose();
      },
    );

    it("of other apps and users are not touched, nor is anybody without a limit", async () => {
      const { ends, dispose } = await create();
      const limits = { maxOfApp: 1, maxOfUser: 1 };
      const others = [limits, { ...limits, appName: "other" }, { maxOfUser: 1, userId: "bob" }, {}, {}];
      const answers: unknown[] = [];
      for (const other of others) answers.push(kindOf(await ends[1].take(place(other), TRY)));
      expect(answers).toEqual(["taken", "taken", "taken", "taken", "taken"]);
      await dispose();
    });

    it("are given once to a caller who asks twice", async () => {
      const { ends, dispose } = await create();
      const mine = place({ maxOfApp: 2 });
      expect(kindOf(await ends[0].take(mine, TRY))).toBe("taken");
      expect(kindOf(await ends[0].take(mine, TRY))).toBe("taken");
      expect(kindOf(await ends[1].take(place({ maxOfApp: 2 }), TRY))).toBe("taken");
      expect(kindOf(await ends[1].take(place({ maxOfApp: 2 }), TRY))).toBe("app");
      await dispose();
    });

    it("go to those who wait before those who do not, for as long as they come again", async () => {
      const { ends, pass, dispose } = await create();
      const limits = { maxOfApp: 1 };
      const [held, waiting] = [place(limits), place({ ...limits, userId: "bob" })];
      await ends[0].take(held, TRY);
      expect(kindOf(await ends[1].take(waiting, WAIT))).toBe("app");
      ends[0].leave(held);
      expect(kindOf(await ends[0].take(place(limits), TRY))).toBe("app");
      expect(kindOf(await ends[1].take(waiting, WAIT))).toBe("taken");
      // A waiter that has left without notice blocks no other.
      expect(kindOf(await ends[0].take(place(limits), WAIT))).toBe("app");
      ends[1].leave(waiting);
      await pass(RUN_QUOTA_QUEUE_MS);
      await expect.poll(async () => kindOf(await ends[1].take(place(limits), TRY))).toBe("taken");
      await dispose();
    });

    it.each([
      ["the same app, user and place", { appName: "app", userId: "ada" }],
      // The tenant and its app.
      ["names like those of the other tenant", { appName: "acme", userId: "app" }],
    ])("of other tenants are not counted, even with %s", async (_, names) => {
      const { ends, dispose } = await create();
      const limits = { maxOfApp: 1, maxOfUser: 1 };
      const ofDefault = { ...place({ ...limits, ...names }), id: "same" };
      const ofAcme = { ...place({ ...limits, tenantId: "acme", appName: "app", userId: "ada" }), id: "same" };
      expect([await ends[0].take(ofDefault, TRY), await ends[1].take(ofAcme, TRY)].map(kindOf)).toEqual([
        "taken",
        "taken",
      ]);
      const next = { ...ofAcme, id: "next" };
      expect(kindOf(await ends[0].take(next, TRY))).toBe("user");
      ends[0].leave(ofDefault);
      await expect.poll(async () => kindOf(await ends[1].take({ ...ofDefault, id: "next" }, TRY))).toBe("taken");
      expect(kindOf(await ends[0].take(next, TRY))).toBe("user");
      await dispose();
    });

    it("are counted under several names together: a place is taken under all of them or none", async () => {
      const { ends, dispose } = await create();
      const limits = ["key:k", "user:ada", "tenant:"].map((name, index) => ({ name, max: index + 1 }));
      const several = (names: number) => ({ ...place(), limits: limits.slice(-names) });
      const [first, second] = [several(3), several(2)];
      for (const one of [first, second]) expect(kindOf(await ends[0].take(one, TRY))).toBe("taken");
      expect(kindOf(await ends[1].take(several(3), TRY))).toBe("key");
      expect(kindOf(await ends[1].take(several(2), TRY))).toBe("user");
      expect(kindOf(await ends[1].take(several(1), TRY))).toBe("taken");
      expect(kindOf(await ends[1].take(several(1), TRY))).toBe("tenant");
      const names = ["key:k", "user:ada", "tenant:", "user:bob"];
      expect(await ends[0].count({ names })).toEqual([1, 2, 3, 0]);
      expect(await ends[0].count({ names, tenantId: "acme" })).toEqual([0, 0, 0, 0]);
      ends[0].leave(first);
      await expect.poll(() => ends[1].count({ names })).toEqual([0, 1, 2, 0]);
      await dispose();
    });

    it("are none under a limit of 0", async () => {
      const { ends, dispose } = await create();
      expect(kindOf(await ends[0].take(place({ maxOfUser: 0 }), TRY))).toBe("user");
      await dispose();
    });

    it("are counted, full or not, when somebody else has admitted their runs", async () => {
      const { ends, dispose } = await create();
      const limits = { maxOfUser: 1, leaseMs: 60 };
      ends[0].hold(place(limits));
      await expect.poll(async () => kindOf(await ends[1].take(place(limits), WAIT))).toBe("user");
      await dispose();
    });
  });
}
