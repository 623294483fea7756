import type { JsonObject } from "#kit/platform/json.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";

/** What a model answers, before a server writes it in its own form. */
export interface Answer {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
  /** `length`: it was cut off; `filtered`: its content was refused. */
  readonly end: "done" | "length" | "filtered";
  readonly usage: AnswerUsage;
}

export interface AnsweredCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Of the answer's thinking; only some protocols have it. */
  readonly signature?: string | undefined;
}

export interface AnswerUsage {
  readonly prompt: number;
  /** Tokens of the answer without its thoughts. */
  readonly output: number;
  readonly thoughts: number;
  readonly cached: number;
}

/** Texts that look like parts of protocols, or that are cut within a character. */
const TRAPS = [
  "data: [DONE]",
  "[DONE]",
  '{"error": {"code": 500}}',
  "a\n\nb",
  "</think>",
  "data:",
  "🙂é漢字",
  "\u2028",
];

const words = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }) },
    fc.constantFrom(...TRAPS),
  )
  .map((text) => text.toWellFormed().trim())
  .filter((text) => text !== "" && !text.startsWith("<"));

/** The tools that answers call. */
export const TOOL_NAMES = ["get_weather", "list_cities", "book"] as const;

const call: fc.Arbitrary<AnsweredCall> = fc.record({
  name: fc.constantFrom(...TOOL_NAMES),
  args: fc
    .dictionary(
      fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key !== "__proto__"),
      fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer(), { maxLength: 3 })),
      { maxKeys: 3 },
    )
    .map((args): JsonObject => JSON.parse(JSON.stringify(args))),
  signature: fc.constantFrom(undefined, "c2ln", "c2lnMg=="),
});

const usage: fc.Arbitrary<AnswerUsage> = fc
  .record({ prompt: fc.nat(9999), output: fc.integer({ min: 1, max: 999 }), thoughts: fc.nat(999), share: fc.nat(100) })
  .map(({ share, ...counts }) => ({ ...counts, cached: Math.floor((counts.prompt * share) / 100) }));

/** Answers of all kinds. Those that call tools, and those that do not end well, have what such answers have. */
export const answers: fc.Arbitrary<Answer> = fc
  .record({
    thought: fc.oneof(fc.constant(""), words),
    text: words,
    isQuiet: fc.boolean(),
    calls: fc.array(call, { maxLength: 5 }),
    end: fc.oneof(
      { weight: 4, arbitrary: fc.constant("done" as const) },
      fc.constantFrom("length" as const, "filtered" as const),
    ),
    usage,
  })
  .map(({ isQuiet, ...answer }) => ({
    ...answer,
    text: isQuiet && answer.calls.length > 0 && answer.end === "done" ? "" : answer.text,
    calls: answer.end === "done" ? answer.calls : [],
    usage: { ...answer.usage, thoughts: answer.thought === "" ? 0 : answer.usage.thoughts },
  }));

/** Cuts a text into pieces, the same ones for the same text, none of them within a character. */
export function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  const characters = [...text];
  for (let at = 0, size = 1; at < characters.length; at += size, size = (size % 7) + 2)
    pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}
