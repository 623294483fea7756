import { describe, expect, it } from "vitest";
import { namedPrincipal } from "./request-scope.ts";

describe("the principal of a request without authentication", () => {
  it.each([
    ["its path", { params: { appName: "app", userId: "ada", sessionId: "s" }, body: undefined }],
    ["its body", { params: {}, body: { appName: "app", userId: "ada" } }],
    ["the older spelling of its body", { params: undefined, body: { app_name: "app", user_id: "ada" } }],
    ["its path, whatever its body says", { params: { appName: "app", userId: "ada" }, body: { userId: "bob" } }],
  ])("is the app and user of %s", (_, request) => {
    expect(namedPrincipal(request)).toEqual({ appName: "app", userId: "ada", scopes: [] });
  });

  it("may reach every user, within the app if there is one, when it names none", () => {
    expect(namedPrincipal({ params: { runId: "r" }, body: null })).toEqual({ scopes: ["users:all"] });
    expect(namedPrincipal({ params: { appName: "app" }, body: { userId: 7 } })).toEqual({
      appName: "app",
      scopes: ["users:all"],
    });
  });
});
