import { expect, it } from "vitest";
import { type ChainHead, type SealedRecord, sealRecord } from "#ports/audit/audit-chain.ts";
import type { AuditLog } from "#ports/audit/audit-log.ts";
import { type AuditLine, type VerifyOptions, verifyChain } from "#ports/audit/verify-chain.ts";

export interface AuditLogWorld {
  /** A log for writing: the same one again, or a new chain beside it. */
  open(): Promise<AuditLog>;
  read(): Promise<{ readonly lines: AsyncIterable<AuditLine>; readonly heads?: readonly ChainHead[] }>;
  /** What the verifier has to know of the place. */
  readonly verify?: VerifyOptions;
  /** Makes the next write fail after a part of it, or before all of it. */
  failNext(): void;
  dispose?(): Promise<void>;
}

/** The next records of a chain. */
export function recordsAfter(head: ChainHead, count: number): readonly SealedRecord[] {
  const records: SealedRecord[] = [];
  for (let last = head; records.length < count; ) {
    const record = sealRecord(last, { kind: "lost", timeMs: last.seq, count: last.seq });
    records.push(record);
    last = record;
  }
  return records;
}

/** What each log of audit records does. */
export function auditLogContract(create: () => Promise<AuditLogWorld>): void {
  const inWorld = async (test: (world: AuditLogWorld) => Promise<void>): Promise<void> => {
    const world = await create();
    try {
      await test(world);
    } finally {
      await world.dispose?.();
    }
  };
  const reportOf = async ({ read, verify }: AuditLogWorld) => {
    const { lines, heads = [] } = await read();
    return verifyChain(lines, { ...verify, heads });
  };

  it("keeps records in their order, over several calls", () =>
    inWorld(async (world) => {
      const log = await world.open();
      const records = recordsAfter(log.head, 7);
      await log.append(records.slice(0, 1));
      await log.append(records.slice(1, 6));
      await log.append([]);
      await log.append(records.slice(6));
      expect(log.head).toMatchObject({ seq: 7, sha256: records[6]?.sha256 });
      await log[Symbol.asyncDispose]();
      const texts = await Array.fromAsync((await world.read()).lines, ({ text }) => text);
      expect(texts).toEqual(records.map(({ line }) => line));
      expect(await reportOf(world)).toMatchObject({ chains: [{ seq: 7 }], notes: [] });
    }));

  it("keeps more records of one call than one write of the store takes", () =>
    inWorld(async (world) => {
      const log = await world.open();
      await log.append(recordsAfter(log.head, 450));
      await log[Symbol.asyncDispose]();
      const report = await reportOf(world);
      expect(report).toMatchObject({ chains: [{ seq: 450 }] });
      expect(report.problem).toBeUndefined();
    }));

  it("stores the records of a failed call once, when the call is repeated", () =>
    inWorld(async (world) => {
      const log = await world.open();
      const [first, ...others] = recordsAfter(log.head, 5);
      await log.append(first === undefined ? [] : [first]);
      world.failNext();
      await expect(log.append(others)).rejects.toThrow();
      await log.append(others);
      await log[Symbol.asyncDispose]();
      const report = await reportOf(world);
      expect(report).toMatchObject({ chains: [{ seq: 5 }] });
      expect(report.problem).toBeUndefined();
    }));

  it("has a whole chain, or several, after it is opened again", () =>
    inWorld(async (world) => {
      for (let round = 0; round < 3; round += 1) {
        const log = await world.open();
        await log.append(recordsAfter(log.head, 2));
        await log[Symbol.asyncDispose]();
      }
      const { chains, problem } = await reportOf(world);
      expect(problem).toBeUndefined();
      expect(chains.reduce((sum, { seq }) => sum + seq, 0)).toBe(6);
    }));
}
