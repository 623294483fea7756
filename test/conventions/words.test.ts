import { describe, expect, it } from "vitest";
import { countInDocs, countInSource, HARD_FORMS, type HardForm, textsOf } from "./words.ts";

/** How often each form may stand there. These numbers only fall: whoever rewrites sentences lowers them. */
const BUDGETS: Readonly<Record<"source" | "docs", Readonly<Record<HardForm, number>>>> = {
  source: { thatForNoun: 185, isNo: 9, byWhich: 320, mayHave: 194, ofChain: 27, clauseOnly: 170 },
  docs: { thatForNoun: 6, isNo: 4, byWhich: 5, mayHave: 4, ofChain: 2, clauseOnly: 0 },
};
/** What a budget may exceed the count by, so that not every rewritten sentence has to change this file. */
const SLACK = 15;

describe("the words of this repository", () => {
  it.each([
    ["source", countInSource],
    ["docs", countInDocs],
  ] as const)("have no more hard forms than the budget: %s", (part, counts) => {
    const found = Object.entries(counts());
    const budget = new Map<string, number>(Object.entries(BUDGETS[part]));
    expect(found.filter(([form, count]) => count > (budget.get(form) ?? 0))).toEqual([]);
    expect(found.filter(([form, count]) => count < (budget.get(form) ?? 0) - SLACK)).toEqual([]);
  });

  it.each([
    ["thatForNoun", "/** The token, or that of the scheme. */"],
    ["isNo", 'throw new Error("The name is no name of a bucket.");'],
    ["byWhich", "// The id by which the run\n// is found."],
    ["mayHave", "/** The bytes that it may have. */"],
    ["ofChain", "/** The requests of an event of\n * the calls of a run. */"],
    ["clauseOnly", "/** What the kit keeps for sign-ins. */"],
  ] as const)("are searched for: %s", (form, text) => {
    const found = textsOf({ path: "kit/x.ts", text }).flatMap((one) => one.match(HARD_FORMS[form]) ?? []);
    expect(found).toHaveLength(1);
  });

  it.each([
    ["isNo", "// There is no limit, and it is no longer open."],
    ["clauseOnly", "/** Returns what is open. */"],
    ["thatForNoun", "const text = that.of(1);"],
  ] as const)("are not found in other sentences: %s in %s", (form, text) => {
    expect(textsOf({ path: "kit/x.ts", text }).flatMap((one) => one.match(HARD_FORMS[form]) ?? [])).toEqual([]);
  });
});
