import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { accessOf, assertAccess, isPublic, PUBLIC_PAGE } from "./route-access.ts";

describe("the access of a route", () => {
  it("is demanded of every route, whatever its method", async () => {
    verifies("authentication:access:declared");
    const app = fastify();
    app.addHook("onRoute", (route) => assertAccess(route));
    app.get("/page", PUBLIC_PAGE, async () => "page");
    expect(() => app.post("/forgotten", async () => "data")).toThrow("The route POST /forgotten declares no access.");
    expect(() => app.options("/forgotten", async () => "data")).toThrow(/OPTIONS \/forgotten declares no access/);
    expect(() => app.get("*", async () => "data")).toThrow(/GET \* declares no access/);
  });

  it("is not demanded of the route for preflights", () => {
    expect(() => assertAccess({ url: "/agents*", method: "OPTIONS" }, "/agents")).not.toThrow();
  });

  it("is public only where the schema says so, HEAD included", async () => {
    const app = fastify();
    const found: [string, boolean][] = [];
    app.addHook(
      "onRequest",
      async (request) => void found.push([`${request.method} ${request.url}`, isPublic(request)]),
    );
    app.get("/page", PUBLIC_PAGE, async () => "page");
    app.get(
      "/closed",
      { schema: { ...PUBLIC_PAGE.schema, access: { owner: "server" } } as object },
      async () => "data",
    );
    for (const url of ["/page", "/closed", "/nowhere"]) await app.inject({ method: "HEAD", url });
    expect(found).toEqual([
      ["HEAD /page", true],
      ["HEAD /closed", false],
      ["HEAD /nowhere", false],
    ]);
    expect(accessOf(undefined)).toBe(undefined);
  });
});
