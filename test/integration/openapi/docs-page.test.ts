import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe("the page of the API", () => {
  it("loads its files from this server alone, under a strict policy, in no frame", async () => {
    verifies("wire:openapi:page");
    await using world = await startGateway();
    const page = await world.gateway.inject("/docs");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers).toMatchObject({
      "content-security-policy": POLICY,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(page.body).not.toMatch(/https?:\/\/|<script>|<style|\son\w+=/);
    const files = [...page.body.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, name]) => `/${name}`);
    expect(files.sort()).toEqual([
      "/docs/docs.css",
      "/docs/docs.js",
      "/docs/swagger-ui-bundle.js",
      "/docs/swagger-ui.css",
    ]);
    for (const url of files) {
      const file = await world.gateway.inject({ url, headers: { "accept-encoding": "gzip" } });
      const type = url.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
      expect([url, file.statusCode, file.headers["content-type"]]).toEqual([url, 200, type]);
      expect(file.headers["x-content-type-options"]).toBe("nosniff");
    }
    const bundle = await world.gateway.inject({
      url: "/docs/swagger-ui-bundle.js",
      headers: { "accept-encoding": "gzip" },
    });
    expect([bundle.headers["content-encoding"], bundle.rawPayload.length < 700_000]).toEqual(["gzip", true]);
  });

  it.each(["/docs/index.html", "/docs/package.json", "/docs/..%2fconfig.ts", "/docs/swagger-ui-bundle.js/x"])(
    "has no file %s",
    async (url) => {
      await using world = await startGateway();
      const answer = await world.gateway.inject(url);
      expect([answer.statusCode, answer.json<{ reason: string }>().reason]).toEqual([404, "ROUTE_NOT_FOUND"]);
    },
  );

  it.each([
    [{ CONSOLE: true, DEV_UI: true }, ["console", "dev-ui/", "openapi.json"]],
    [{ CONSOLE: false, DEV_UI: false }, ["openapi.json"]],
  ])("links to the pages that the server has: %o", async (config, links) => {
    await using world = await startGateway({ config });
    const { body } = await world.gateway.inject("/docs");
    const nav = /<nav[\s\S]*<\/nav>/.exec(body)?.[0] ?? "";
    expect([...nav.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual(links);
  });
});

describe("a page's address with a slash at its end", () => {
  it.each([
    ["/docs/", "../docs", "/docs"],
    ["/console/?user=ada&find=a%20b", "../console?user=ada&find=a%20b", "/console"],
    ["/docs/?x=//other.example/", "../docs?x=//other.example/", "/docs"],
  ])("%s leads to the one without", async (url, location, page) => {
    verifies("wire:pages:slash");
    await using world = await startGateway();
    const answer = await world.gateway.inject(url);
    expect([answer.statusCode, answer.headers.location]).toEqual([302, location]);
    expect(new URL(location, `http://host.example/team${url}`).pathname).toBe(`/team${page}`);
    expect((await world.gateway.inject(page)).statusCode).toBe(200);
  });

  it("is right below a prefix that a proxy leaves in the path", async () => {
    await using world = await startGateway({ config: { PATH_PREFIX: "/team" } });
    const answer = await world.gateway.inject("/team/console/");
    expect(new URL(answer.headers.location ?? "", "http://host.example/team/console/").pathname).toBe("/team/console");
  });
});
