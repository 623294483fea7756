import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { parseArtifactName, parseArtifactPath } from "./artifact-path.ts";

const ROUTE = "/apps/:appName/users/:userId/sessions/:sessionId/artifacts/*";
const BASE = "/apps/a/users/u/sessions/s/artifacts/";

describe("a path below an artifacts route", () => {
  it.each([
    ["a.txt", { kind: "artifact", filename: "a.txt" }],
    ["a.txt?version=3", { kind: "artifact", filename: "a.txt" }],
    ["dir/b.txt", { kind: "artifact", filename: "dir/b.txt" }],
    ["dir%2Fb.txt", { kind: "artifact", filename: "dir/b.txt" }],
    ["user%3Ap%C3%A9.txt", { kind: "artifact", filename: "user:pé.txt" }],
    ["a.txt/versions", { kind: "versions", filename: "a.txt" }],
    ["dir/b.txt/versions/0", { kind: "version", filename: "dir/b.txt", version: 0 }],
    ["a.txt/versions/latest", { kind: "version", filename: "a.txt", version: "latest" }],
    ["a.txt/versions/-1", { kind: "version", filename: "a.txt", version: -1 }],
    ["a.txt/versions/metadata", { kind: "metadata-list", filename: "a.txt" }],
    ["dir/b.txt/versions/7/metadata", { kind: "metadata", filename: "dir/b.txt", version: 7 }],
    ["a.txt/versions/latest/metadata", { kind: "metadata", filename: "a.txt", version: "latest" }],
    ["versions", { kind: "artifact", filename: "versions" }],
    ["versions/1", { kind: "artifact", filename: "versions/1" }],
    ["versions/1/metadata", { kind: "artifact", filename: "versions/1/metadata" }],
    ["versions/metadata", { kind: "artifact", filename: "versions/metadata" }],
    ["versions/versions", { kind: "versions", filename: "versions" }],
    ["a%2Fversions%2F1", { kind: "artifact", filename: "a/versions/1" }],
  ])("%s", (tail, target) => {
    verifies("wire:artifact:names");
    expect(parseArtifactPath(BASE + tail, ROUTE)).toEqual(target);
  });

  it.each(["a.txt/versions/first", "a.txt/versions/1.5", "a.txt/versions/9999999999999999", "a.txt/versions/%31"])(
    "refuses the version in %s",
    (tail) => {
      expect(() => parseArtifactPath(BASE + tail, ROUTE)).toThrow(expect.objectContaining({ reason: "INVALID_FIELD" }));
    },
  );

  it("refuses what is not UTF-8", () => {
    expect(() => parseArtifactPath(`${BASE}%ff.txt`, ROUTE)).toThrow(
      expect.objectContaining({ reason: "INVALID_IDENTIFIER" }),
    );
  });

  it("is a name as a whole when a file is deleted", () => {
    expect(parseArtifactName(`${BASE}dir/versions/1`, ROUTE)).toBe("dir/versions/1");
  });
});
