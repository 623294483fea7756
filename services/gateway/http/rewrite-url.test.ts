import { expect, it } from "vitest";
import { createRewriteUrl } from "./rewrite-url.ts";

it.each([
  ["/team-a/list-apps", "/list-apps"],
  ["/team-a", "/"],
  ["/team-a?x=1", "/?x=1"],
  ["/list-apps", "/list-apps"],
  ["/team-abc/list-apps", "/team-abc/list-apps"],
])("takes the published prefix off %s", (url, expected) => {
  expect(createRewriteUrl({ PATH_PREFIX: "/team-a/" }).rewriteUrl?.({ url })).toBe(expected);
});

it("leaves requests as they are without a prefix", () => {
  expect(createRewriteUrl({ PATH_PREFIX: "" })).toEqual({});
});
