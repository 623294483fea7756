import { fileURLToPath } from "node:url";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { PUBLIC_PAGE, signedInPage } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { ASSET_HEADERS, STRICT_PAGE_HEADERS } from "../pages/security-headers.ts";
import { redirectSlash, sendStaticFile } from "../pages/send-static-file.ts";
import { listStaticFiles, type StaticFile } from "../pages/static-files.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";

const FOLDER = fileURLToPath(new URL("../console/", import.meta.url));
/** Pages by their paths. */
const PAGES = {
  "/console": "index.html",
  "/console/inbox": "inbox.html",
  "/console/schedules": "schedules.html",
  "/console/evaluations": "evaluations.html",
} as const;
const PAGE_FILES: ReadonlySet<string> = new Set(Object.values(PAGES));

/**
 * The pages that show runs, their leases, events and streams, and can answer, cancel and requeue them; what waits for people; schedules; and
 * results of evaluations.
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
    for (const [path, file] of Object.entries(PAGES)) {
      app.get(path, signedInPage(pageHook), async (request, reply) =>
        sendStaticFile(find(file), request, reply.headers(STRICT_PAGE_HEADERS)),
      );
    }
    // The other pages to which the console can link.
    const settings = JSON.stringify({ devUi: config.DEV_UI });
    app.get("/console/settings.json", PUBLIC_PAGE, async (_request, reply) =>
      reply
        .headers({ ...ASSET_HEADERS, "cache-control": "no-store" })
        .type(JSON_TYPE)
        .send(settings),
    );
    app.get<{ Params: { "*": string } }>("/console/*", PUBLIC_PAGE, async (request, reply) => {
      const name = request.params["*"];
      if (name === "") return redirectSlash("console", request, reply);
      if (PAGE_FILES.has(name)) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
      return sendStaticFile(find(name), request, reply);
    });
  };
}
