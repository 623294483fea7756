import { describe, expect, it } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { type ChainHead, emptyChain, type SealedRecord, sealRecord } from "./audit-chain.ts";
import type { AuditEvent } from "./audit-event.ts";
import { type AuditLine, type ChainReport, type VerifyOptions, verifyChain } from "./verify-chain.ts";

const decisionOf = (requestId: string): AuditEvent => ({
  kind: "decision",
  timeMs: 1_767_225_600_000,
  subject: "key:abc",
  action: "deleteSession",
  resource: { appName: "echo", userId: "ada", sessionId: "s1" },
  decision: "allowed",
  requestId,
});

function chainOf(count: number, chain = "c1", word = "request"): readonly SealedRecord[] {
  const records: SealedRecord[] = [];
  let head: ChainHead = emptyChain(chain);
  for (let index = 1; index <= count; index += 1) {
    const record = sealRecord(head, decisionOf(`${word}-${index}`));
    records.push(record);
    head = record;
  }
  return records;
}

async function* linesOf(texts: readonly string[]): AsyncIterable<AuditLine> {
  for (const [index, text] of texts.entries()) yield { text, place: `log:${index + 1}` };
}

const linesIn = (records: readonly SealedRecord[]): readonly string[] => records.map(({ line }) => line);
const verify = (texts: readonly string[], options?: VerifyOptions): Promise<ChainReport> =>
  verifyChain(linesOf(texts), options);

describe("a chain of audit records", () => {
  it("is whole as it was written, and its last record is reported", async () => {
    const records = chainOf(3);
    const last = records[2];
    expect(await verify(linesIn(records), { heads: records })).toEqual({
      chains: [{ chain: "c1", seq: 3, sha256: last?.sha256, first: 1 }],
      notes: [],
    });
  });

  it("has lines of canonical JSON that end with their digest", () => {
    const [record] = chainOf(1);
    expect(record?.line).toBe(
      `{"audit":1,"chain":"c1","event":{"action":"deleteSession","decision":"allowed","kind":"decision","requestId":"request-1",` +
        `"resource":{"appName":"echo","sessionId":"s1","userId":"ada"},"subject":"key:abc","timeMs":1767225600000},` +
        `"previous":"${"0".repeat(64)}","seq":1,"sha256":"${record?.sha256}"}`,
    );
  });

  const [a = "", b = "", c = "", d = ""] = linesIn(chainOf(4));
  const foreign = chainOf(4, "c1", "foreign");
  const resealed = sealRecord({ chain: "c1", seq: 2, sha256: foreign[1]?.sha256 ?? "" }, decisionOf("request-3"));
  it.each([
    [
      "an edited record",
      [a, b.replace("ada", "eve"), c, d],
      "log:2: record 2 was changed: its text does not have its digest.",
    ],
    [
      "an edited number",
      [a, b.replace('"seq":2', '"seq":3'), c, d],
      "log:2: record 3 was changed: its text does not have its digest.",
    ],
    [
      "a member that is there twice",
      [a, b.replace("{", '{"audit":1,'), c],
      "log:2: record 2 was changed: its text does not have its digest.",
    ],
    [
      "another digest",
      [a, b.replace(/.{5}"}$/, '00000"}'), c],
      "log:2: record 2 was changed: its text does not have its digest.",
    ],
    ["a record that was removed", [a, c, d], "log:2: record 3 follows record 1."],
    ["the first record removed", [b, c, d], "log:1: record 2 follows record 0: the first is missing."],
    ["two that changed places", [a, c, b, d], "log:2: record 3 follows record 1."],
    ["a record that is there twice", [a, b, b, c], "log:3: record 2 follows record 2."],
    [
      "a record of another writing of the chain",
      [a, foreign[1]?.line ?? "", c],
      "log:2: record 2 does not follow the record before it: one of them was replaced.",
    ],
    [
      "one that was sealed again",
      [a, b, resealed.line, d],
      "log:3: record 3 does not follow the record before it: one of them was replaced.",
    ],
    [
      "a record of another chain",
      [a, b, chainOf(1, "c2")[0]?.line ?? ""],
      "log:3: record 1 is of the chain c2, which is not the chain of this log.",
    ],
    ["a line that is not a record", [a, b, "{}", c], "log:3: this line is not an audit record."],
    ["an empty line", [a, "", b], "log:2: this line is not an audit record."],
    ["a cut end", [a, b], "The chain c1 ends with record 2, and record 4 was written: the end of the log is missing."],
    ["nothing", [], "The chain c1 ends with record 0, and record 4 was written: the end of the log is missing."],
    [
      "a chain that was written anew",
      linesIn(foreign),
      "log:4: record 4 is not the one that was expected: the chain was written anew.",
    ],
  ])("with %s is broken there", async (_what, texts, problem) => {
    const head = chainOf(4)[3];
    expect(await verify(texts, { heads: head === undefined ? [] : [head] })).toMatchObject({ problem });
  });

  it("is found to be broken after any change of any of its bytes", async () => {
    const lines = linesIn(chainOf(5));
    const text = `${lines.join("\n")}\n`;
    const change = fc.record({
      at: fc.integer({ min: 0, max: text.length - 2 }),
      length: fc.integer({ min: 0, max: 900 }),
      inserted: fc.string({ maxLength: 20 }),
    });
    const heads = chainOf(5);
    await fc.assert(
      fc.asyncProperty(change, async ({ at, length, inserted }) => {
        const changed = text.slice(0, at) + inserted + text.slice(Math.min(at + length, text.length - 1));
        fc.pre(changed !== text);
        const { problem } = await verify(changed.slice(0, -1).split("\n"), { heads });
        expect(problem).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it("may begin later if its first files are elsewhere", async () => {
    const lines = linesIn(chainOf(4));
    expect(await verify(lines.slice(2), { isPartial: true })).toMatchObject({ chains: [{ first: 3, seq: 4 }] });
    expect(await verify([c, a], { isPartial: true })).toMatchObject({ problem: "log:2: record 1 follows record 3." });
  });

  it("is checked among other lines and other chains of a log", async () => {
    const other = chainOf(2, "c2");
    const texts = ["starting", linesIn(other)[0] ?? "", a, '{"level":"info"}', b, linesIn(other)[1] ?? "", c];
    expect(await verify(texts, { isMixed: true })).toMatchObject({
      chains: [
        { chain: "c2", seq: 2 },
        { chain: "c1", seq: 3 },
      ],
    });
    expect(await verify([...texts, a], { isMixed: true })).toMatchObject({
      problem: "log:8: record 1 follows record 3.",
    });
  });

  it("reports a record that is not complete yet as a note", async () => {
    const [first = ""] = linesIn(chainOf(1));
    async function* lines(): AsyncIterable<AuditLine> {
      yield { text: first, place: "log:1" };
      yield { text: '{"audit":1,"ch', place: "log:2", isIncomplete: true };
    }
    const report = await verifyChain(lines());
    expect(report).toMatchObject({
      chains: [{ seq: 1 }],
      notes: [expect.stringContaining("log:2: the log ends within a record (14 bytes)")],
    });
    expect(report.problem).toBeUndefined();
  });
});
