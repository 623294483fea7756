import { PlatformError } from "#kit/errors/platform-error.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { PUBLIC, PUBLIC_PAGE, signedInPage } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import type { DocumentedRoute } from "../openapi/openapi-document.ts";
import { described } from "../openapi/route-description.ts";
import { ASSET_HEADERS, STRICT_PAGE_HEADERS } from "../pages/security-headers.ts";
import { docsFiles, redirectSlash, sendStaticFile } from "../pages/send-static-file.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap } from "../requests/wire-schemas.ts";

const PAGE = "index.html";

/**
 * The API as an OpenAPI document, and a page to read it and try it. Must be registered before the routes that it
 * describes.
 */
export function openApiRoutes({
  config,
  pageHook,
  authenticators,
  runnerService,
}: Pick<RouteDeps, "config" | "pageHook" | "authenticators" | "runnerService">): TypedRoutes {
  const links = [
    config.CONSOLE ? '<a href="console">Runs</a>' : "",
    config.DEV_UI ? '<a href="dev-ui/">Developer UI</a>' : "",
  ].join("");
  const routes: DocumentedRoute[] = [];
  // Created on first use: the list of routes is not complete at start, and most servers are never asked.
  const document = lazy(async () => {
    const { toOpenApi } = await import("../openapi/openapi-document.ts");
    const { API_INFO } = await import("../openapi/api-info.ts");
    return toOpenApi(API_INFO, routes);
  });
  const text = lazy(async () => JSON.stringify(await document()));
  let newest: { readonly key: string; readonly text: string } | undefined;
  const ownText = async (): Promise<string> => {
    // The document is for everybody, and the names of apps are for callers where there are such.
    if (authenticators !== undefined) return text();
    const { ownExample, withOwnExample } = await import("../openapi/own-examples.ts");
    const own = await ownExample(runnerService);
    if (own === undefined) return text();
    const key = JSON.stringify(own);
    if (newest?.key !== key) newest = { key, text: JSON.stringify(withOwnExample(await document(), own)) };
    return newest.text;
  };
  const files = lazy(async () => docsFiles());
  return async (app) => {
    // Without the prefix below which the server is mounted: the document's server is the folder of its address.
    app.addHook("onRoute", ({ routePath, method, schema }) => {
      routes.push({ url: routePath, method, schema });
    });

    const schema = described({
      operationId: "readOpenApi",
      answer: "of-the-operator",
      access: PUBLIC,
      tags: ["server"],
      summary: "This document",
      response: answers({ 200: JsonMap }),
    });
    app.get("/openapi.json", { schema }, async (_request, reply) =>
      reply
        .headers(ASSET_HEADERS)
        .type(JSON_TYPE)
        .send(await ownText()),
    );

    const find = async (name: string) => {
      const file = (await files()).get(name);
      if (file === undefined) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
      return file;
    };
    app.get("/docs", signedInPage(pageHook), async (_request, reply) => {
      const { bytes } = await (await find(PAGE)).read(undefined);
      const page = bytes.toString("utf8").replace("<!-- links -->", links);
      return reply.headers(STRICT_PAGE_HEADERS).type("text/html; charset=utf-8").send(page);
    });
    app.get<{ Params: { "*": string } }>("/docs/*", PUBLIC_PAGE, async (request, reply) => {
      const name = request.params["*"];
      if (name === "") return redirectSlash("docs", request, reply);
      // The page itself is sent only with its links and its policy.
      return sendStaticFile(await find(name === PAGE ? "" : name), request, reply);
    });
  };
}
