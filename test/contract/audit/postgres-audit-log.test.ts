import { describe, expect, it } from "vitest";
import { openPostgresAudit, PostgresAuditLog } from "#adapters/postgres/postgres-audit-log.ts";
import { verifyChain } from "#ports/audit/verify-chain.ts";
import { usePostgresDatabase } from "#test/helpers/servers/use-postgres-database.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AuditLogWorld, auditLogContract, recordsAfter } from "./audit-log.ts";

describe("PostgresAuditLog", { timeout: 60_000 }, () => {
  const { openDatabase } = usePostgresDatabase();

  async function createWorld(): Promise<AuditLogWorld> {
    const database = await openDatabase();
    const write = database.write.bind(database);
    let chains = 0;
    return {
      open: async () => {
        chains += 1;
        return new PostgresAuditLog({ database, chain: `chain-${chains}` });
      },
      read: () => openPostgresAudit(database),
      verify: { isMixed: true, isPartial: false },
      // The records are stored, and the answer is lost.
      failNext: () => {
        database.write = async (...call) => {
          database.write = write;
          await write(...call);
          throw new Error("the connection was cut");
        };
      },
      dispose: () => database[Symbol.asyncDispose](),
    };
  }

  auditLogContract(createWorld);

  it("shares no chain between two writers, and refuses a record whose place is taken", async () => {
    verifies("postgres:audit");
    await using database = await openDatabase();
    const [first, second] = ["a", "b"].map((chain) => new PostgresAuditLog({ database, chain }));
    for (const log of [first!, second!]) await log.append(recordsAfter(log.head, 3));
    const intruder = new PostgresAuditLog({ database, chain: "a" });
    const other = recordsAfter({ ...intruder.head, sha256: "f".repeat(64) }, 1);
    await expect(intruder.append(other)).rejects.toThrow("another record in this place");
    const { lines, heads } = await openPostgresAudit(database);
    const report = await verifyChain(lines, { heads, isMixed: true, isPartial: false });
    const chains = ["a", "b"].map((chain) => ({ chain, seq: 3 }));
    expect([report.chains, report.problem]).toMatchObject([chains, undefined]);
  });

  it("finds that the newest records were deleted", async () => {
    verifies("postgres:audit");
    await using database = await openDatabase();
    const log = new PostgresAuditLog({ database, chain: "a" });
    for (let count = 0; count < 2; count += 1) await log.append(recordsAfter(log.head, 2));
    await database.write("DELETE FROM fairlead.audit_records WHERE seq = 4");
    const { lines, heads } = await openPostgresAudit(database);
    expect(await verifyChain(lines, { heads, isMixed: true, isPartial: false })).toMatchObject({
      problem: "The chain a ends with record 3, and record 4 was written: the end of the log is missing.",
    });
  });
});
