import { utimesSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { markInstallation } from "#shared/process/dev-ui-folder.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type GatewayWorld, startGateway } from "#test/helpers/worlds/gateway-world.ts";

const SCRIPT = `console.log("${"long ".repeat(400)}");`;
const INDEX =
  '<!doctype html><html><head><base href="./"></head><body><script src="./main-ABCD1234.js"></script></body></html>';

interface UiWorld extends AsyncDisposable {
  readonly world: GatewayWorld;
}

async function startUi(
  config: object = {},
  files: Readonly<Record<string, string>> = { "index.html": INDEX },
): Promise<UiWorld> {
  const directory = await mkdtemp(join(tmpdir(), "dev-ui-"));
  await mkdir(join(directory, "assets"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const world = await startGateway({ config: { DEV_UI: true, DEV_UI_DIR: directory, ...config } });
  return {
    world,
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

describe("the developer UI", () => {
  it("is where / leads, with its query", async () => {
    verifies("what-the-service-does:root-redirect", "endpoints-http:root-redirect", "wire:ui:redirect");
    await using ui = await startUi({ PATH_PREFIX: "/team-a" });
    const plain = await ui.world.gateway.inject("/");
    const deep = await ui.world.gateway.inject("/?app=weather&session=s%201");
    expect([plain.statusCode, plain.headers.location]).toEqual([302, "/team-a/dev-ui"]);
    expect(deep.headers.location).toBe("/team-a/dev-ui?app=weather&session=s%201");
    await using bare = await startUi();
    const response = await bare.world.gateway.inject("/");
    expect([response.statusCode, response.headers.location]).toEqual([302, "/dev-ui"]);
  });

  it("answers with and without the slash, its base below the published prefix, under a strict policy", async () => {
    verifies("wire:ui:redirect");
    await using ui = await startUi({ PATH_PREFIX: "/team-a/" });
    for (const url of ["/dev-ui", "/dev-ui/", "/team-a/dev-ui?app=x"]) {
      const response = await ui.world.gateway.inject(url);
      expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(response.body).toContain('<base href="/team-a/dev-ui/">');
      expect(response.headers).toMatchObject({ "cache-control": "no-cache", "x-content-type-options": "nosniff" });
      expect(response.headers["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval';");
    }
  });

  it("gets its runtime configuration from this server's", async () => {
    verifies("wire:ui:name");
    await using ui = await startUi({ PATH_PREFIX: "/team-a", DEV_UI_LOGO_TEXT: "Ours" });
    const response = await ui.world.gateway.inject("/dev-ui/assets/config/runtime-config.json");
    expect(response.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
    });
    expect(response.json()).toEqual({
      backendUrl: "/team-a",
      logo: { text: "Ours", imageUrl: "/team-a/dev-ui/assets/fairlead.svg" },
      telemetry: false,
    });
    expect((await ui.world.gateway.inject("/dev-ui/config")).json()).toEqual({
      logo_text: "Ours",
      logo_image_url: "/team-a/dev-ui/assets/fairlead.svg",
    });
    expect((await ui.world.gateway.inject("/dev-ui/assets/fairlead.svg")).headers["content-type"]).toBe(
      "image/svg+xml",
    );
  });

  it("shows its own name when no logo is wanted", async () => {
    verifies("wire:ui:name");
    await using ui = await startUi({ DEV_UI_LOGO_TEXT: "" });
    expect((await ui.world.gateway.inject("/dev-ui/assets/config/runtime-config.json")).json()).toEqual({
      backendUrl: "",
      telemetry: false,
    });
    expect((await ui.world.gateway.inject("/dev-ui/config")).json()).toEqual({ logo_text: null, logo_image_url: null });
    await using usual = await startUi();
    const config = (await usual.world.gateway.inject("/dev-ui/config")).json<object>();
    expect(config).toEqual({ logo_text: "Fairlead", logo_image_url: "/dev-ui/assets/fairlead.svg" });
  });

  it("serves files with their types: hashed names for ever, others with a tag", async () => {
    verifies("what-the-service-does:developer-ui");
    const files = {
      "index.html": INDEX,
      "main-ABCD1234.js": SCRIPT,
      "icon.svg": "<svg/>",
      "assets/a.wasm": "x",
      ".secret": "no",
    };
    await using ui = await startUi({}, files);
    const get = async (name: string) => {
      const { statusCode, headers } = await ui.world.gateway.inject(`/dev-ui/${name}`);
      return [statusCode, headers["content-type"], headers["cache-control"]];
    };
    expect(await get("main-ABCD1234.js")).toEqual([
      200,
      "text/javascript; charset=utf-8",
      "public, max-age=31536000, immutable",
    ]);
    expect(await get("icon.svg")).toEqual([200, "image/svg+xml", "no-cache"]);
    expect(await get("assets/a.wasm")).toEqual([200, "application/wasm", "no-cache"]);
    expect(await get("fonts/material-icons.woff2")).toEqual([200, "font/woff2", "no-cache"]);
    const { etag } = (await ui.world.gateway.inject("/dev-ui/icon.svg")).headers;
    const again = await ui.world.gateway.inject({
      url: "/dev-ui/icon.svg",
      headers: { "if-none-match": String(etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  it("has an empty style sheet for colors of code that a build refers to and lacks", async () => {
    await using ui = await startUi({}, { "index.html": INDEX, "prism-light.css": ".token{}" });
    const lacking = await ui.world.gateway.inject("/dev-ui/prism-dark.css");
    const own = await ui.world.gateway.inject("/dev-ui/prism-light.css");
    expect([lacking.statusCode, lacking.headers["content-type"], lacking.body]).toEqual([
      200,
      "text/css; charset=utf-8",
      "",
    ]);
    expect(own.body).toBe(".token{}");
  });

  it("compresses text for clients that take it", async () => {
    await using ui = await startUi({}, { "index.html": INDEX, "main-ABCD1234.js": SCRIPT });
    const url = "/dev-ui/main-ABCD1234.js";
    const zipped = await ui.world.gateway.inject({ url, headers: { "accept-encoding": "gzip, br" } });
    const plain = await ui.world.gateway.inject(url);
    expect([zipped.headers["content-encoding"], gunzipSync(zipped.rawPayload).toString()]).toEqual(["gzip", SCRIPT]);
    expect([plain.headers["content-encoding"], plain.body]).toEqual([undefined, SCRIPT]);
  });

  it.each(["some/deep/link", ".secret", "../index.html", "..%2f..%2fpackage.json", "assets", "%00", "index.html"])(
    "has nothing at /dev-ui/%s",
    async (name) => {
      await using ui = await startUi({}, { "index.html": INDEX, ".secret": "no" });
      const response = await ui.world.gateway.inject(`/dev-ui/${name}`);
      expect([response.statusCode, response.json<{ reason: string }>().reason]).toEqual([404, "ROUTE_NOT_FOUND"]);
    },
  );

  it("says how to get it while it is missing, and appears without a restart", async () => {
    verifies("wire:ui:without-build");
    await using ui = await startUi({}, {});
    const missing = await ui.world.gateway.inject("/dev-ui");
    expect([missing.statusCode, missing.body.includes("npm run ui:install")]).toEqual([200, true]);
    expect(missing.body).toContain('<a href="/dev-ui/../docs">');
    expect(ui.world.logs).toEqual(["info developer UI not installed; get it with: npm run ui:install"]);
    const directory = ui.world.deps.config.DEV_UI_DIR;
    onTestFinished(markInstallation(directory));
    const nowSeconds = ui.world.deps.clock.now() / 1000;
    utimesSync(`${directory}.installing`, nowSeconds, nowSeconds);
    expect((await ui.world.gateway.inject("/dev-ui")).body).toContain('<meta http-equiv="refresh" content="2">');
    await writeFile(join(directory, "index.html"), INDEX);
    expect((await ui.world.gateway.inject("/dev-ui")).body).toContain('<base href="/dev-ui/">');
  });

  it("is not reported as missing while it is being installed", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dev-ui-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    onTestFinished(markInstallation(directory));
    await using ui = await startUi({ DEV_UI_DIR: directory });
    expect((await ui.world.gateway.inject("/dev-ui")).body).toContain("The developer UI is being installed");
    expect(ui.world.logs).toEqual([]);
  });

  it("can be switched off", async () => {
    await using ui = await startUi({ DEV_UI: false });
    const statuses = await Promise.all(
      ["/", "/dev-ui", "/dev-ui/config"].map(async (url) => (await ui.world.gateway.inject(url)).statusCode),
    );
    expect(statuses).toEqual([404, 404, 404]);
  });
});
