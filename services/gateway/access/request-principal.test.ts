import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { setCaller } from "../identity/authenticator.ts";
import { type Caller, EVERYBODY } from "../identity/caller.ts";
import { readAppRules } from "./app-rules.ts";
import { APP_NAMES, namesIn } from "./request-names.ts";
import { requestPrincipal } from "./request-principal.ts";

const ALL = ["users:all", "app-state:write"];
const OWN = ["app-state:write"];

function requestOf(caller: Caller, { params, body }: { readonly params?: unknown; readonly body?: unknown }) {
  const request = { raw: new IncomingMessage(new Socket()), params, body };
  setCaller(request, caller);
  return request;
}

describe("the principal of a request without authentication", () => {
  it.each([
    ["its path", { params: { appName: "app", userId: "ada", sessionId: "s" } }],
    ["its body", { params: {}, body: { appName: "app", userId: "ada" } }],
    ["the older spelling of its body", { body: { app_name: "app", user_id: "ada" } }],
    ["its path, whatever its body says", { params: { appName: "app", userId: "ada" }, body: { userId: "bob" } }],
  ])("is the app and user of %s", (_, names) => {
    expect(requestPrincipal(requestOf(EVERYBODY, names))).toEqual({
      tenantId: "default",
      appName: "app",
      userId: "ada",
      scopes: OWN,
    });
  });

  it("may reach every user, within the app if there is one, when it names none", () => {
    expect(requestPrincipal(requestOf(EVERYBODY, { params: { runId: "r" }, body: null }))).toEqual({
      tenantId: "default",
      scopes: ALL,
    });
    expect(requestPrincipal(requestOf(EVERYBODY, { params: { appName: "app" }, body: { userId: 7 } }))).toEqual({
      tenantId: "default",
      appName: "app",
      scopes: ALL,
    });
  });
});

describe("the principal of a caller", () => {
  const ADA: Caller = { ...EVERYBODY, userId: "ada", scopes: new Set(["sessions:read"]) };

  it("is its own user, whatever the request names", () => {
    expect(requestPrincipal(requestOf(ADA, { params: { runId: "r" } }))).toEqual({
      tenantId: "default",
      userId: "ada",
      scopes: [],
    });
    expect(requestPrincipal(requestOf(ADA, { params: { appName: "app", userId: "bob" } }))).toEqual({
      tenantId: "default",
      appName: "app",
      userId: "ada",
      scopes: [],
    });
  });

  it("is of no user for credentials that name none", () => {
    const key: Caller = { ...ADA, userId: undefined };
    expect(requestPrincipal(requestOf(key, { params: { userId: "bob" } }))).toEqual({
      tenantId: "default",
      scopes: [],
    });
  });

  it("has the one app that the caller may use, and a check for several", () => {
    const one = requestPrincipal(requestOf({ ...ADA, apps: ["echo"] }, {}));
    expect(one).toEqual({
      tenantId: "default",
      appName: "echo",
      userId: "ada",
      scopes: [],
      mayUse: expect.any(Function),
    });
    const several = requestPrincipal(requestOf({ ...ADA, apps: ["echo", "shop"] }, {}));
    expect([several.appName, several.mayUse?.("shop"), several.mayUse?.("bank")]).toEqual([undefined, true, false]);
  });

  it("may use an app with a rule only if the rule names its user or one of its groups", () => {
    const rules = readAppRules({ apps: { bank: { users: ["eve"], groups: ["finance"] }, shut: {} } });
    const appsOf = (caller: Partial<Caller>) => {
      const { mayUse } = requestPrincipal(requestOf({ ...ADA, ...caller }, {}), () => rules);
      return ["echo", "bank", "shut"].filter((appName) => mayUse?.(appName));
    };
    expect(appsOf({})).toEqual(["echo"]);
    expect(appsOf({ userId: "eve" })).toEqual(["echo", "bank"]);
    expect(appsOf({ groups: ["finance"] })).toEqual(["echo", "bank"]);
    expect(appsOf({ groups: ["finance"], apps: ["echo"] })).toEqual(["echo"]);
    expect(appsOf({ userId: undefined })).toEqual(["echo"]);
  });
});

it("finds the texts of a source in both spellings, those of lists included, in the order of the names", () => {
  expect(namesIn({ app_name: ["b", "", 1, "c"], appName: "a", other: "d" }, APP_NAMES)).toEqual(["a", "b", "c"]);
});

it("finds nothing in what is empty, inherited or no object", () => {
  const inherited: unknown = Object.create({ appName: "a" });
  for (const source of [undefined, null, "appName", 7, [], {}, { appName: "" }, { appName: { a: "a" } }, inherited])
    expect(namesIn(source, APP_NAMES)).toEqual([]);
  expect(namesIn({ a: "b" }, ["constructor", "__proto__", "toString"])).toEqual([]);
  expect(namesIn(Object.assign(Object.create(null), { appName: "a" }), APP_NAMES)).toEqual(["a"]);
});
