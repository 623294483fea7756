import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import type { RowWrite } from "#ports/rows/row-table.ts";
import { CLAIM, newEvalJob, QUESTION } from "#test/contract/evaluations/eval-job-world.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { TabularEvalJobStore } from "./tabular-eval-job-store.ts";

const ACME = { tenantId: "acme" };

/** A table where something happens before its next commit of an answer. */
class InterruptedTable extends InMemoryRowTable {
  beforeAnswer: (() => Promise<unknown>) | undefined;

  override async commit(writes: readonly RowWrite[]): Promise<boolean> {
    const before = this.beforeAnswer;
    if (before !== undefined && writes.some(({ key, value }) => key.includes("/answer/") && value !== undefined)) {
      this.beforeAnswer = undefined;
      await before();
    }
    return super.commit(writes);
  }
}

async function createWorld() {
  const table = new InterruptedTable();
  const store = new TabularEvalJobStore({ table, clock: new FixedClock() });
  await store.create(newEvalJob("j1", { ...ACME, idempotencyKey: "once" }));
  const claimed = await store.claim({ ...ACME, jobId: "j1" }, CLAIM);
  if (claimed === undefined) throw new Error("The job cannot be claimed.");
  const rows = async () => table.listKeys({ prefix: "", limit: 1000 });
  return { table, store, lease: claimed.lease, rows };
}

it("no row is left of deleted jobs, nor of one whose creation was interrupted", async () => {
  verifies("tenants:delete:evaluations");
  const { table, store, rows } = await createWorld();
  await table.commit([
    { key: "part/acme/lost/input/00000000", value: {} },
    { key: "part/acme2/lost/input/00000000", value: {} },
  ]);
  expect(await store.deleteData({ ...ACME, limit: 1000 })).toEqual({ deleted: 1, isDone: true });
  expect(await rows()).toEqual(["part/acme2/lost/input/00000000"]);
});

it.each([1, 1000])("an answer that arrives after %i deleted rows is not kept", async (limit) => {
  verifies("tenants:delete:evaluations");
  const { table, store, lease, rows } = await createWorld();
  table.beforeAnswer = () => store.deleteData({ ...ACME, limit });
  await expect(store.recordAnswer(lease, QUESTION, "late")).rejects.toMatchObject({ reason: "LEASE_LOST" });
  expect((await rows()).filter((key) => key.includes("/answer/"))).toEqual([]);
});
