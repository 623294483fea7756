import { describe, expect, it } from "vitest";
import { findSlowPatterns } from "./slow-patterns.ts";

describe("the checker of regular expressions", () => {
  it.each([
    ["const x = /\\/+$/;", "takes more than linear time"],
    ["const x = /^\\s*```(?:json)?\\s*\\n([\\s\\S]*?)\\n?\\s*```\\s*$/i;", "takes more than linear time"],
    ["const x = /^(a+)+$/;", "takes more than linear time"],
    ['const x = { pattern: "^(a|a)*$" };', "takes more than linear time"],
    ["const x = (text: string) => new RegExp(text);", "made of a text; use LinearPattern"],
    ["const x = (text: string) => RegExp(text);", "made of a text; use LinearPattern"],
  ])("finds %s", async (text, verdict) => {
    expect(await findSlowPatterns([{ path: "kit/a/planted.ts", text }])).toEqual([
      expect.stringMatching(`^kit/a/planted.ts:1: .*${verdict}`),
    ]);
  });

  it("lets linear ones pass", async () => {
    expect(await findSlowPatterns([{ path: "kit/a/planted.ts", text: "const x = /^[a-z]+(?:-[a-z]+)*$/;" }])).toEqual(
      [],
    );
  });
});
