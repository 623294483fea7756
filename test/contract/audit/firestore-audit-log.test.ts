import { describe, expect, it } from "vitest";
import { FirestoreAuditLog, openFirestoreAudit } from "#adapters/firestore/firestore-audit-log.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { verifyChain } from "#ports/audit/verify-chain.ts";
import { useFirestore } from "#test/helpers/servers/use-firestore.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { whyNoFirestore } from "#tooling/emulators/firestore-emulator.ts";
import { type AuditLogWorld, auditLogContract, recordsAfter } from "./audit-log.ts";

const ROOT = "fairlead";

describe.skipIf(whyNoFirestore() !== undefined)("FirestoreAuditLog", { timeout: 60_000 }, () => {
  const { openDatabase } = useFirestore();

  async function createWorld(): Promise<AuditLogWorld> {
    const database = openDatabase();
    const commit = database.commit.bind(database);
    const clock = new FixedClock();
    let chains = 0;
    return {
      open: async () => {
        chains += 1;
        return new FirestoreAuditLog({ database, root: ROOT, chain: `chain-${chains}`, clock });
      },
      read: () => openFirestoreAudit(database, ROOT),
      verify: { isMixed: true, isPartial: false },
      // The records are stored, and the answer is lost.
      failNext: () => {
        database.commit = async (writes) => {
          database.commit = commit;
          await commit(writes);
          throw new Error("the connection was cut");
        };
      },
      dispose: () => database[Symbol.asyncDispose](),
    };
  }

  auditLogContract(createWorld);

  it("shares no chain between two writers, and refuses a record whose place is taken", async () => {
    verifies("authentication:audit:firestore");
    await using database = openDatabase();
    const clock = new FixedClock();
    const first = new FirestoreAuditLog({ database, root: ROOT, chain: "a", clock });
    const second = new FirestoreAuditLog({ database, root: ROOT, chain: "b", clock });
    await Promise.all([first, second].map((log) => log.append(recordsAfter(log.head, 3))));
    const intruder = new FirestoreAuditLog({ database, root: ROOT, chain: "a", clock });
    const other = recordsAfter({ ...intruder.head, sha256: "f".repeat(64) }, 1);
    await expect(intruder.append(other)).rejects.toThrow("another record in this place");
    const { lines, heads } = await openFirestoreAudit(database, ROOT);
    const report = await verifyChain(lines, { heads, isMixed: true, isPartial: false });
    expect(report).toMatchObject({
      chains: [
        { chain: "a", seq: 3 },
        { chain: "b", seq: 3 },
      ],
    });
    expect(report.problem).toBeUndefined();
  });

  it("finds that the newest records were deleted", async () => {
    await using database = openDatabase();
    const log = new FirestoreAuditLog({ database, root: ROOT, chain: "a", clock: new FixedClock() });
    await log.append(recordsAfter(log.head, 2));
    await log.append(recordsAfter(log.head, 2));
    await log[Symbol.asyncDispose]();
    await database.commit([{ kind: "delete", path: `${ROOT}/audit/chains/a/records/000000000004` }]);
    const { lines, heads } = await openFirestoreAudit(database, ROOT);
    expect(await verifyChain(lines, { heads, isMixed: true, isPartial: false })).toMatchObject({
      problem: "The chain a ends with record 3, and record 4 was written: the end of the log is missing.",
    });
  });
});
