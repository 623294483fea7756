import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { normaliseProperty, readRubricVerdicts } from "./rubric-verdicts.ts";
import { readSentenceScores, readSentences } from "./sentence-labels.ts";
import { readMessageValidity, readValidity } from "./validity-label.ts";

type Readings = readonly (readonly [text: string, read: unknown])[];

const ANSWERS: Readonly<Record<string, Readings>> = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/evaluation/judge-answers.json", import.meta.url), "utf8"),
);

it.each<[string, number, (text: string) => unknown]>([
  ["validity", 90, (text) => readValidity(text) ?? null],
  ["messageValidity", 90, (text) => readMessageValidity(text) ?? null],
  [
    "rubricVerdicts",
    72,
    (text) =>
      readRubricVerdicts(text).map(({ rubricId = null, property, rationale, score = null }) => [
        rubricId,
        property,
        rationale,
        score,
      ]),
  ],
  ["sentenceScores", 42, readSentenceScores],
  ["sentences", 12, readSentences],
  ["property", 40, normaliseProperty],
])("reads %s in answers of judges as google-adk does", (name, count, read) => {
  const recorded = ANSWERS[name] ?? [];
  expect(recorded).toHaveLength(count);
  expect(recorded.map(([text]) => [text, read(text)])).toEqual(recorded);
});
