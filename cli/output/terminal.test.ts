import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { describeWaiting } from "../chat/answer-call.ts";
import { Transcript } from "../chat/transcript.ts";
import { appsTable } from "../check/apps-table.ts";
import { reportText } from "../eval/report-text.ts";
import { printColouredText, printError, printLine, visible } from "./terminal.ts";
import { textTable } from "./text-table.ts";

/** What may act on a terminal, as characters that are allowed: letters, marks, signs and spaces. */
const UNSEEN = /[^\P{C}\n\t\u200c\u200d\u00ad]/u;
const hostile = fc.array(
  fc.oneof(
    fc.constantFrom(
      "\u001b[31m",
      "\u001b]0;title\u0007",
      "\r",
      "\b",
      "\u009b2J",
      "\u202e",
      "\u2028",
      "\ud800",
      "\u{e0041}",
    ),
    fc.string({ unit: "grapheme" }),
  ),
  { maxLength: 6 },
);
const text = hostile.map((pieces) => pieces.join(""));

/** What is written to both outputs. */
function written(print: () => void): string {
  let all = "";
  const take = (chunk: unknown): true => {
    all += `${chunk}\n`;
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(take),
    vi.spyOn(console, "log").mockImplementation(take),
    vi.spyOn(console, "error").mockImplementation(take),
  ];
  print();
  for (const spy of spies) spy.mockRestore();
  return all;
}

describe("the output of commands", () => {
  it("shows no character that acts on the terminal, whatever models, tools and files are named", () => {
    verifies("peers:terminal:visible");
    fc.assert(
      fc.property(text, text, text, (first, second, third) => {
        const call = { name: first, args: { [second]: third }, id: third };
        const shown = written(() => {
          const transcript = new Transcript(printColouredText);
          transcript.add({
            ...{ id: "1", invocationId: "1", timestamp: 0, author: first, errorCode: second, errorMessage: third },
            content: {
              parts: [
                { text: third },
                { functionCall: call },
                { functionResponse: { name: first, response: { second } } },
              ],
            },
            actions: { stateDelta: {}, artifactDelta: { [first]: 1 } },
          } as unknown as Parameters<Transcript["add"]>[0]);
          transcript.end();
          printLine(describeWaiting(call));
          printLine(
            textTable([
              [first, "b"],
              [second, third],
            ]),
          );
          printLine(
            appsTable({
              apps: [
                {
                  name: first,
                  language: "yaml",
                  file: second,
                  problems: [{ level: "error", file: third, message: first }],
                },
              ],
              problems: [],
            }),
          );
          printError(`fairlead: ${second}`);
        });
        expect(shown).not.toMatch(UNSEEN);
      }),
    );
  });

  it("shows names and remarks of evaluations as they are", () => {
    verifies("peers:terminal:visible");
    const report = {
      repeat: 1,
      results: [],
      total: { passed: 0, runs: 1, interval: [0, 1] },
      cases: [
        {
          ...{ evalSetId: "set\u001b[2J", evalId: "case\u202e", passed: 0, runs: 1, interval: [0, 1] },
          metrics: [{ metricName: "m\u0007", score: 0, statuses: { FAILED: 1 }, remarks: ["no\u001b]8;;x\u0007"] }],
        },
      ],
    } as unknown as Parameters<typeof reportText>[0];
    const drop = { name: "n\u001b[1A", before: report.total, now: report.total, probability: 0.01 };
    expect(reportText(report, [drop])).not.toMatch(UNSEEN);
  });

  it("keeps the meaning of JSON", () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(JSON.parse(visible(JSON.stringify({ value })))).toEqual({ value });
      }),
    );
  });

  it("leaves text of every script as it is", () => {
    for (const words of ["naïve Straße", "می‌خواهم", "👨‍👩‍👧 日本語", "a\tb\nc"]) expect(visible(words)).toBe(words);
    expect(visible("one\r\ntwo")).toBe("one\ntwo");
  });

  it("is written by the functions of one file", () => {
    const folder = new URL("..", import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      // The entry prints before it may import anything, and the bar writes numbers only.
      (path) =>
        /(?<!\.test)\.ts$/.test(path) && !["output/terminal.ts", "main.ts", "eval/progress-bar.ts"].includes(path),
    );
    const writers = files.filter((path) =>
      /\bconsole\.|std(out|err)\.write/.test(readFileSync(new URL(path, folder), "utf8")),
    );
    expect([files.length > 40, writers]).toEqual([true, []]);
  });
});
