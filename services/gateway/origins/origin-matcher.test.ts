import { expect, it } from "vitest";
import { matchesPath } from "./origin-matcher.ts";

it.each([
  ["/**", "/", true],
  ["/apps/**", "/apps", true],
  ["/apps/**", "/apps/", true],
  ["/apps/**", "/apps/a/users", true],
  ["/apps/**", "/appsx", false],
  ["/apps/*", "/apps/a", true],
  ["/apps/*", "/apps/a/b", false],
  ["/apps/w*r/users", "/apps/weather/users", true],
  ["/apps/w*r/users", "/apps/wind/users", false],
  ["/**/users/**/sessions", "/apps/a/users/users/u/sessions", true],
  ["/**/users/**/sessions", "/apps/a/users/u/sessions/s", false],
  ["/a.b", "/axb", false],
  ["/apps", "apps", false],
  ["*", "*", false],
])("mapping %s and path %s: %s", (mapping, path, expected) => expect(matchesPath(mapping, path)).toBe(expected));
