import { expect, it } from "vitest";
import { createRewriteUrl } from "./rewrite-url.ts";

const rewrite = (config: { PATH_PREFIX?: string; DEFAULT_APP_NAME?: string }, url: string): string | undefined =>
  createRewriteUrl({ PATH_PREFIX: "", DEFAULT_APP_NAME: "", ...config }).rewriteUrl?.({ url });

it.each([
  ["/users/u/sessions", "/apps/my%20app/users/u/sessions"],
  ["/trigger/pubsub?x=1", "/apps/my%20app/trigger/pubsub?x=1"],
  ["/app-info", "/apps/my%20app/app-info"],
  ["/app-info?x=1", "/apps/my%20app/app-info?x=1"],
  ["/app-information", "/app-information"],
  ["/apps/other/users/u/sessions", "/apps/other/users/u/sessions"],
])("puts the default app into %s", (url, expected) => {
  expect(rewrite({ DEFAULT_APP_NAME: "my app" }, url)).toBe(expected);
});

it.each([
  ["/team-a/list-apps", "/list-apps"],
  ["/team-a", "/"],
  ["/team-a?x=1", "/?x=1"],
  ["/list-apps", "/list-apps"],
  ["/team-abc/list-apps", "/team-abc/list-apps"],
])("takes the published prefix off %s", (url, expected) => {
  expect(rewrite({ PATH_PREFIX: "/team-a/" }, url)).toBe(expected);
});

it("does not touch requests when neither is set", () => {
  expect(createRewriteUrl({ PATH_PREFIX: "", DEFAULT_APP_NAME: "" })).toEqual({});
});
