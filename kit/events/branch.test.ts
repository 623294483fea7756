import { describe, expect, it } from "vitest";
import { isToolBranch, seesBranch, toolBranch } from "./branch.ts";

describe("seesBranch", () => {
  it.each([
    ["the trunk sees all branches", undefined, "team.a", true],
    ["a branch sees the trunk", "team.a", undefined, true],
    ["a branch sees itself", "team.a", "team.a", true],
    ["a branch sees those above it", "team.a.inner", "team.a", true],
    ["a branch does not see its siblings", "team.a", "team.b", false],
    ["a branch does not see those whose names begin alike", "team.a10", "team.a1", false],
    ["the trunk does not see the work for a call", undefined, "expert@1", false],
    ["a branch does not see the work for its call", "team.a", "team.a.expert@1", false],
    ["the work for a call does not see the trunk", "expert@1", undefined, false],
    ["the work for a call does not see the branch of its caller", "team.a.expert@1", "team.a", false],
    ["the work for a call sees itself", "expert@1", "expert@1", true],
    ["the work for a call sees the branches inside it", "expert@1.team.a", "expert@1", true],
    ["the branches inside the work for a call do not see each other", "expert@1.team.a", "expert@1.team.b", false],
    ["the work for a call does not see that for another one", "expert@1", "expert@2", false],
    ["the work for a call does not see that for a call of its own", "expert@1", "expert@1.helper@2", false],
  ])("%s", (_, branch, eventBranch, sees) => {
    expect(seesBranch(branch, eventBranch)).toBe(sees);
  });
});

describe("toolBranch", () => {
  it("is below the caller's, whatever the call's id is made of", () => {
    expect(toolBranch(undefined, "expert", "call.1@x")).toBe("expert@call_1_x");
    expect(toolBranch("team.a", "expert", "c")).toBe("team.a.expert@c");
  });

  it("is distinguished from others", () => {
    expect([undefined, "team.a", "team.a.expert@c", "expert@c.team"].map(isToolBranch)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
