import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type ChainHead, type SealedRecord, sealRecord } from "#ports/audit/audit-chain.ts";
import { type ChainReport, verifyChain } from "#ports/audit/verify-chain.ts";
import { isAuditLog, openAuditFiles } from "./audit-file-reader.ts";
import { FileAuditLog } from "./file-audit-log.ts";

const NOW_MS = 1000;

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "audit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "audit.jsonl");
}

const open = (path: string, maxBytes = 1_000_000): Promise<FileAuditLog> =>
  FileAuditLog.open({ path, newChain: "new", maxBytes, nowMs: NOW_MS });

function next(head: ChainHead): SealedRecord {
  return sealRecord(head, { kind: "lost", timeMs: 0, count: 1 });
}

/** A closed log with this many records. */
async function writtenLog(count: number, maxBytes?: number): Promise<string> {
  const path = newPath();
  await using log = await open(path, maxBytes);
  for (let index = 0; index < count; index += 1) await log.append([next(log.head)]);
  return path;
}

async function verify(...paths: readonly string[]): Promise<ChainReport> {
  const { lines, heads } = await openAuditFiles(paths);
  return verifyChain(lines, { heads });
}

describe("an audit log in files", () => {
  it("continues in a new file when one is full, and is one chain over all of them", async () => {
    const path = await writtenLog(6, 500);
    const names = readdirSync(join(path, ".."));
    expect(names).toEqual(["audit.jsonl", "audit.jsonl.000000000001", "audit.jsonl.000000000004", "audit.jsonl.head"]);
    expect(await verify(path)).toMatchObject({ chains: [{ first: 1, seq: 6 }], notes: [] });
    // In any order, as a shell lists them.
    expect(await verify(...names.map((name) => join(path, "..", name)))).toMatchObject({
      chains: [{ first: 1, seq: 6 }],
    });
    await using log = await open(path, 500);
    expect(log.head.seq).toBe(6);
  });

  it("keeps a part of a record aside, flushed before it is cut off, and reports it until a record follows", async () => {
    const path = await writtenLog(2);
    writeFileSync(path, '{"audit":1,"ch', { flag: "a" });
    expect(await verify(path)).toMatchObject({
      chains: [{ seq: 2 }],
      notes: [expect.stringContaining("within a record")],
    });
    const torn = { kind: "torn", timeMs: NOW_MS, bytes: 14, keptIn: "audit.jsonl.torn-3" };
    // Twice: the first process is killed before it has recorded it.
    for (let start = 0; start < 2; start += 1) {
      await using log = await open(path);
      expect(log.found).toEqual([torn]);
      expect(log.head.seq).toBe(2);
    }
    expect(readFileSync(`${path}.torn-3`, "utf8")).toBe('{"audit":1,"ch');
    writeFileSync(path, '{"audit":1,"chain', { flag: "a" });
    {
      await using log = await open(path);
      expect(log.found).toEqual([torn, { ...torn, bytes: 17, keptIn: "audit.jsonl.torn-3.2" }]);
      await log.append([next(log.head)]);
    }
    await using log = await open(path);
    expect(log.found).toEqual([]);
    expect(await verify(path)).toMatchObject({ chains: [{ seq: 3 }], notes: [] });
  });

  it("reports a part once whose copy was made by a start that was killed before it had cut it off", async () => {
    const path = await writtenLog(1);
    writeFileSync(path, '{"audit":1,"ch', { flag: "a" });
    writeFileSync(`${path}.torn-2`, '{"audit":1,"ch');
    await using log = await open(path);
    expect(log.found).toEqual([{ kind: "torn", timeMs: NOW_MS, bytes: 14, keptIn: "audit.jsonl.torn-2" }]);
    expect(await verify(path)).toMatchObject({ chains: [{ seq: 1 }], notes: [] });
  });

  it("leaves a gap that stays visible where the end of the log was cut off", async () => {
    const path = await writtenLog(5);
    const lines = readFileSync(path, "utf8").split("\n");
    truncateSync(path, Buffer.byteLength(`${lines.slice(0, 3).join("\n")}\n`));
    expect(await verify(path)).toMatchObject({
      problem: "The chain new ends with record 3, and record 5 was written: the end of the log is missing.",
    });
    await using log = await open(path);
    expect(log.found).toEqual([{ kind: "gap", timeMs: NOW_MS, after: 3 }]);
    await log.append([next(log.head)]);
    expect(await verify(path)).toMatchObject({ problem: `${path}:4: record 6 follows record 3.` });
  });

  it("leaves a gap where the whole log was deleted", async () => {
    const path = await writtenLog(2);
    rmSync(path);
    await using log = await open(path);
    expect(log.found).toEqual([{ kind: "gap", timeMs: NOW_MS, after: 0 }]);
    await log.append([next(log.head)]);
    expect(await verify(path)).toMatchObject({
      problem: `${path}:1: record 3 follows record 0: the first is missing.`,
    });
  });

  it("is read and continued after a writer was killed when the full file had its new name", async () => {
    const path = await writtenLog(6, 500);
    rmSync(path);
    expect(await isAuditLog(path)).toBe(true);
    expect(await verify(path)).toMatchObject({ chains: [{ first: 1, seq: 6 }], notes: [] });
    await using log = await open(path, 500);
    expect(log.head.seq).toBe(6);
    await log.append([next(log.head)]);
    expect(await verify(path)).toMatchObject({ chains: [{ seq: 7 }], notes: [] });
  });

  it("does not continue a log whose last line is not a whole record, or of another chain", async () => {
    const path = await writtenLog(2);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll('"count":1', '"count":2'));
    await expect(open(path)).rejects.toMatchObject({
      reason: "AUDIT_BROKEN",
      message: expect.stringContaining(
        "has a first or last line that is not a whole record. Look at it with: fairlead audit verify.",
      ),
    });
    const other = newPath();
    await using foreign = await FileAuditLog.open({ path: other, newChain: "other", maxBytes: 1000, nowMs: 0 });
    await foreign.append([next(foreign.head)]);
    writeFileSync(path, readFileSync(other));
    await expect(open(path)).rejects.toMatchObject({
      reason: "AUDIT_BROKEN",
      message: expect.stringContaining("another chain"),
    });
  });
});
