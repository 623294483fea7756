import { describe, expect, it } from "vitest";
import type { GatewayConfig } from "#services/gateway/config.ts";
import { routesOf } from "#test/helpers/printed-routes.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const PREFIX = "/team-a";

/** The address of a route with a value for each parameter. */
const addressOf = (url: string): string => url.replaceAll(/:[A-Za-z]+/g, "echo").replace("*", "file");

async function startBelow(config: Partial<GatewayConfig> = {}) {
  return startGateway({
    config: { PATH_PREFIX: `${PREFIX}/`, DEV_UI: true, CONSOLE: true, DEFAULT_APP_NAME: "echo", ...config },
  });
}

describe("below PATH_PREFIX, which a proxy removes or leaves", () => {
  it("the redirect of every route, asked for with a slash at its end, leads to a path with the prefix", async () => {
    verifies("wire:paths:published-prefix");
    await using world = await startBelow();
    const wrong: string[] = [];
    let redirects = 0;
    for (const { method, url } of routesOf(world.gateway)) {
      const address = addressOf(url);
      if (address.endsWith("/")) continue;
      for (const prefix of ["", PREFIX]) {
        const { statusCode, headers } = await world.gateway.inject({
          method: method as "GET",
          url: `${prefix}${address}/?a=b`,
        });
        const { location } = headers;
        if (location === undefined) continue;
        redirects += 1;
        // Relative ones of pages are right below every prefix.
        const at = new URL(String(location), `http://gateway${PREFIX}${address}/`).pathname;
        if (!at.startsWith(`${PREFIX}/`) || !String(location).endsWith("?a=b"))
          wrong.push(`${method} ${url} ${statusCode}: ${location}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(redirects).toBeGreaterThan(100);
  });

  it("the addresses of what a request has created have the prefix", async () => {
    verifies("wire:paths:published-prefix");
    await using world = await startBelow();
    await world.gateway.inject({ method: "POST", url: "/apps/echo/users/u/sessions/s" });
    const newMessage = { role: "user", parts: [{ text: "hi" }] };
    const payload = { appName: "echo", userId: "u", sessionId: "s", newMessage };
    const { headers, statusCode } = await world.gateway.inject({ method: "POST", url: "/v1/runs", payload });
    expect([statusCode, headers.location]).toEqual([202, expect.stringMatching(/^\/team-a\/v1\/runs\/./)]);
    const run = await world.gateway.inject({ url: String(headers.location) });
    expect(run.json()).toMatchObject({ sessionId: "s" });
  });

  it("no page or document names an absolute path without the prefix", async () => {
    verifies("wire:paths:published-prefix");
    await using world = await startBelow({ DEV_UI_LOGO_TEXT: "Ours" });
    const wrong: string[] = [];
    for (const path of [
      "/dev-ui/",
      "/dev-ui/assets/config/runtime-config.json",
      "/dev-ui/config",
      "/console",
      "/docs",
    ]) {
      const { body } = await world.gateway.inject({ url: path });
      for (const [, link = ""] of body.matchAll(/(?:href=|src=|Url":|image_url":)\s*"(\/[^"]*)"/g))
        if (!link.startsWith(PREFIX)) wrong.push(`${path}: ${link}`);
    }
    expect(wrong).toEqual([]);
    const { servers } = (await world.gateway.inject({ url: "/openapi.json" })).json<{
      servers: readonly { url: string }[];
    }>();
    expect(new URL(servers[0]?.url ?? "", `http://gateway${PREFIX}/openapi.json`).pathname).toBe(`${PREFIX}/`);
  });
});
