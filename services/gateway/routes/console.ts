import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { PUBLIC_PAGE, signedInPage } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { CONSOLE_PAGES, consolePage } from "../pages/console-pages.ts";
import { STRICT_PAGE_HEADERS } from "../pages/security-headers.ts";
import { redirectSlash, sendStaticFile } from "../pages/send-static-file.ts";
import { listStaticFiles, type StaticFile } from "../pages/static-files.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";

const FOLDER = fileURLToPath(new URL("../console/", import.meta.url));

/**
 * The pages that show runs, their leases, events and streams, and can answer, cancel and requeue them; what waits for people; schedules;
 * webhooks; what runs have used; and results of evaluations.
 */
export function consoleRoutes({ config, pageHook }: Pick<RouteDeps, "config" | "pageHook">): TypedRoutes {
  let files: ReadonlyMap<string, StaticFile> | undefined;
  const find = (name: string): StaticFile => {
    // Listed on first use, so that it costs nothing at start.
    files ??= listStaticFiles(FOLDER);
    const file = files.get(name);
    if (file === undefined) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
    return file;
  };

  return async (app) => {
    if (!config.CONSOLE) return;
    for (const page of CONSOLE_PAGES) {
      const read = consolePage(page, { folder: join(FOLDER, "html"), hasDevUi: config.DEV_UI });
      app.get(page.path, signedInPage(pageHook), async (_request, reply) =>
        reply
          .headers({ ...STRICT_PAGE_HEADERS, "cache-control": "no-cache" })
          .type("text/html; charset=utf-8")
          .send(await read()),
      );
    }
    app.get<{ Params: { "*": string } }>("/console/*", PUBLIC_PAGE, async (request, reply) => {
      const name = request.params["*"];
      if (name === "") return redirectSlash("console", request, reply);
      // Parts of pages, which are sent whole and with their policy.
      if (name.endsWith(".html")) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
      return sendStaticFile(find(name), request, reply);
    });
  };
}
