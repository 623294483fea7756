import { readFile } from "node:fs/promises";
import type { RouteOptions } from "fastify";
import { Version } from "#kit/version.ts";
import type { GatewayDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { toOpenApi } from "../pages/openapi-document.ts";
import { ASSET_HEADERS, PAGE_HEADERS } from "../pages/security-headers.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";

const PAGE = new URL("../pages/docs.html", import.meta.url);
const SCRIPT = new URL("../pages/docs.js", import.meta.url);

const INFO = {
  title: "Agentplane",
  version: Version.AGENTPLANE_VERSION,
  description: "Apps, sessions, runs, artifacts, traces and evaluation sets of this agent server.",
};

/**
 * The API as an OpenAPI document, and a page to read it and try it. Must be registered before the routes that it
 * describes.
 */
export function openApiRoutes({ config }: Pick<GatewayDeps, "config">): TypedRoutes {
  const links = [
    config.CONSOLE ? '<a href="console">Runs</a>' : "",
    config.DEV_UI ? '<a href="dev-ui/">Developer UI</a>' : "",
  ].join(" ");
  const routes: RouteOptions[] = [];
  const plugin: TypedRoutes = async (app) => {
    app.addHook("onRoute", (route) => {
      routes.push(route);
    });

    let document: string | undefined;
    const schema = { tags: ["server"], summary: "This document", response: answers({ 200: JsonMap }) };
    app.get("/openapi.json", { schema }, async (_request, reply) => {
      // Created on first use: the list of routes is not complete at start.
      document ??= JSON.stringify(toOpenApi(INFO, routes));
      return reply.headers(ASSET_HEADERS).type(JSON_TYPE).send(document);
    });

    app.get("/docs", async (_request, reply) => {
      const page = (await readFile(PAGE, "utf8")).replace("<!-- links -->", links);
      return reply.headers(PAGE_HEADERS).type("text/html; charset=utf-8").send(page);
    });

    app.get("/docs/docs.js", async (_request, reply) => {
      const script = await readFile(SCRIPT, "utf8");
      return reply
        .headers({ ...ASSET_HEADERS, "cache-control": "no-cache" })
        .type("text/javascript; charset=utf-8")
        .send(script);
    });
  };
  // Added to the parent, so that the hook gets the routes of all plugins.
  return Object.assign(plugin, { [Symbol.for("skip-override")]: true });
}
