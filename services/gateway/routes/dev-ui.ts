import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { lazy } from "#kit/platform/lazy.ts";
import { Type } from "#kit/schema/shape.ts";
import { devUiFolder, isBeingInstalled, isDevUiInstalled } from "#shared/process/dev-ui-folder.ts";
import { PUBLIC, PUBLIC_PAGE, signedInPage } from "../access/route-access.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import { type DevUiPaths, missingUiPage, rewriteIndex } from "../pages/dev-ui-index.ts";
import { EDITOR_COLORS, MISSING_WORDS, REPAIRS_SCRIPT, WITHOUT_EDITOR } from "../pages/dev-ui-repairs.ts";
import { ASSET_HEADERS, PAGE_HEADERS } from "../pages/security-headers.ts";
import { sendStaticFile } from "../pages/send-static-file.ts";
import { createStaticFile, listStaticFiles, type StaticFile } from "../pages/static-files.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";

const INDEX = "index.html";
const RUNTIME_CONFIG = "assets/config/runtime-config.json";
const LOGO = "assets/fairlead.svg";
const REPAIRS = "assets/fairlead.js";

/** The UI's icons are ligatures of two fonts that it would load from another host. */
const ICON_FONTS = [
  {
    family: "Material Icons",
    name: "fonts/material-icons.woff2",
    module: "@fontsource/material-icons/files/material-icons-latin-400-normal.woff2",
  },
  {
    family: "Material Symbols Outlined",
    name: "fonts/material-symbols-outlined.woff2",
    module: "@material-symbols/font-400/material-symbols-outlined.woff2",
  },
] as const;

const EMPTY_STYLE: StaticFile = {
  contentType: "text/css; charset=utf-8",
  cacheControl: "no-cache",
  etag: '"empty"',
  read: async () => ({ bytes: Buffer.alloc(0) }),
};

/** The style sheet for code, which the UI requests even if its build lacks it. */
const OPTIONAL_STYLES = ["prism-dark.css", "prism-light.css"].map((name) => [name, EMPTY_STYLE] as const);

/** The developer UI below `/dev-ui`, or a page that describes how to install it. */
export function devUiRoutes({
  config,
  clock,
  logger,
  publicPath: prefix,
  pageHook,
  builder,
}: Pick<RouteDeps, "config" | "clock" | "logger" | "publicPath" | "pageHook" | "builder">): TypedRoutes {
  const base = `${prefix}/dev-ui/`;
  const logoText = config.DEV_UI_LOGO_TEXT;

  return async (app) => {
    if (!config.DEV_UI) return;
    const { path, installCommand } = devUiFolder();
    const directory = config.DEV_UI_DIR === "" ? path : config.DEV_UI_DIR;
    const scripts = [base + REPAIRS, ...(pageHook === undefined ? [] : [`${prefix}/auth/signed-in.js`])];
    const ui = new DevUi(directory, { base, scripts });
    const mayEdit = (request: FastifyRequest): boolean =>
      builder !== undefined && (pageHook === undefined || callerOf(request).scopes.has("apps:edit"));
    const isBeingFetched = () => isBeingInstalled(directory, clock.now());
    if (!ui.isInstalled() && !isBeingFetched())
      logger.info({}, `developer UI not installed; get it with: ${installCommand}`);

    app.get("/", PUBLIC_PAGE, async ({ url }, reply) => {
      const query = url.indexOf("?");
      return reply.redirect(`${prefix}/dev-ui${query < 0 ? "" : url.slice(query)}`, 302);
    });

    const runtimeConfig = JSON.stringify({
      backendUrl: prefix,
      // The UI shows an error instead of the logo unless both fields are set.
      logo: logoText !== "" ? { text: logoText, imageUrl: base + LOGO } : undefined,
      telemetry: false,
    });
    app.get(`/dev-ui/${RUNTIME_CONFIG}`, PUBLIC_PAGE, async (_request, reply) =>
      reply
        .headers({ ...ASSET_HEADERS, "cache-control": "no-store" })
        .type(JSON_TYPE)
        .send(runtimeConfig),
    );

    const ConfigSchema = Type.Object({
      logo_text: Type.Union([Type.String(), Type.Null()]),
      logo_image_url: Type.Union([Type.String(), Type.Null()]),
    });
    app.get(
      "/dev-ui/config",
      {
        schema: described({
          operationId: "readDevUiConfig",
          answer: "small",
          access: PUBLIC,
          tags: ["server"],
          summary: "The developer UI's logo",
          response: { 200: ConfigSchema },
        }),
      },
      async () =>
        logoText === ""
          ? { logo_text: null, logo_image_url: null }
          : { logo_text: logoText, logo_image_url: base + LOGO },
    );

    for (const path of ["/dev-ui", "/dev-ui/"]) {
      app.get(path, signedInPage(pageHook), async (request, reply) => {
        const own = withOwnUser(request);
        if (own !== undefined) return reply.redirect(`${base}?${own}`, 302);
        const html = ui.isInstalled()
          ? await ui.page(mayEdit(request))
          : missingUiPage({ base, installCommand, isBeingInstalled: isBeingFetched() });
        return reply
          .headers({ ...PAGE_HEADERS, "cache-control": "no-cache" })
          .type("text/html; charset=utf-8")
          .send(html);
      });
    }

    app.get(`/dev-ui/${LOGO}`, PUBLIC_PAGE, async (_request, reply) =>
      reply
        .headers({ ...ASSET_HEADERS, "cache-control": "public, max-age=86400" })
        .type("image/svg+xml")
        .send(LOGO_SVG),
    );

    app.get(`/dev-ui/${REPAIRS}`, PUBLIC_PAGE, async (_request, reply) =>
      reply
        .headers({ ...ASSET_HEADERS, "cache-control": "no-cache" })
        .type("text/javascript; charset=utf-8")
        .send(REPAIRS_SCRIPT),
    );

    app.get<{ Params: { "*": string } }>("/dev-ui/*", PUBLIC_PAGE, async (request, reply) => {
      const file = ui.file(request.params["*"]);
      if (!file) throw new PlatformError("ROUTE_NOT_FOUND", "Not Found");
      return sendStaticFile(file, request, reply);
    });
  };
}

/**
 * The query with the only user whose data the caller reaches, if it names another one or none: otherwise the UI uses a
 * default user. Undefined if nothing has to change.
 */
function withOwnUser(request: FastifyRequest): URLSearchParams | undefined {
  const { userId, scopes } = callerOf(request);
  if (userId === undefined || scopes.has("users:all")) return undefined;
  const at = request.url.indexOf("?");
  const query = new URLSearchParams(at < 0 ? "" : request.url.slice(at));
  if (query.get("userId") === userId) return undefined;
  query.set("userId", userId);
  return query;
}

/** The files of one build. They are listed on first use, so that an installation while the server runs is found. */
class DevUi {
  readonly #directory: string;
  readonly #paths: Omit<DevUiPaths, "iconFonts" | "rules">;
  #files: ReadonlyMap<string, StaticFile> | undefined;
  readonly #page = lazy(() => this.#readPage(""));
  readonly #pageWithoutEditor = lazy(() => this.#readPage(WITHOUT_EDITOR));

  constructor(directory: string, paths: Omit<DevUiPaths, "iconFonts" | "rules">) {
    this.#directory = directory;
    this.#paths = paths;
  }

  isInstalled(): boolean {
    return isDevUiInstalled(this.#directory);
  }

  page(hasEditor: boolean): Promise<string> {
    return hasEditor ? this.#page() : this.#pageWithoutEditor();
  }

  file(name: string): StaticFile | undefined {
    if (this.#files === undefined && !this.isInstalled()) return undefined;
    this.#files ??= new Map([...OPTIONAL_STYLES, ...listStaticFiles(this.#directory), ...fontFiles()]);
    // The page itself is sent only in its rewritten form.
    return name === INDEX ? undefined : this.#files.get(name);
  }

  async #readPage(hiding: string): Promise<string> {
    const html = await readFile(join(this.#directory, INDEX), "utf8");
    const iconFonts = Object.fromEntries(ICON_FONTS.map(({ family, name }) => [family, this.#paths.base + name]));
    return rewriteIndex(html, { ...this.#paths, iconFonts, rules: EDITOR_COLORS + MISSING_WORDS + hiding });
  }
}

function fontFiles(): ReadonlyMap<string, StaticFile> {
  const packages = createRequire(import.meta.url);
  return new Map(ICON_FONTS.map(({ name, module }) => [name, createStaticFile(packages.resolve(module))]));
}

const LOGO_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2F6FED"/><path d="M8 23 16 8l8 15" fill="none" stroke="#fff" stroke-width="2.6" stroke-linejoin="round" stroke-linecap="round"/><circle cx="16" cy="8" r="3" fill="#fff"/><circle cx="8" cy="23" r="3" fill="#fff"/><circle cx="24" cy="23" r="3" fill="#fff"/></svg>
`;
