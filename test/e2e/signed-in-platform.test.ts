import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { whyNoRedis } from "#tooling/emulators/redis-server.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { PlatformWorld } from "#tooling/processes/platform-world.ts";
import { cannotRun, launchBrowser } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { isAt, signInAtProvider } from "./provider-page.ts";
import { watchPage } from "./ui-world.ts";

const APP = "research_team_yaml";
const DEV_UI_DIR = fileURLToPath(new URL("../../.dev-ui", import.meta.url));
const USER_SCOPES = ["runs:write", "sessions:read", "sessions:write", "artifacts", "memory", "evals"];

/** Six processes whose gateway has the UI, with users of an identity provider; the group `editors` may edit apps. */
async function startPlatform() {
  await using stack = new AsyncDisposableStack();
  const { path } = agentsFolder({});
  for (const app of [APP, "weather"]) cpSync(join("agents", app), join(path, app), { recursive: true });
  const issuer = stack.use(
    await TestIssuer.start({ claimsOf: (user) => ({ groups: user === "edith" ? ["editors"] : [] }) }),
  );
  const world = stack.use(await PlatformWorld.create({ settings: { AGENTS_DIR: path, AGENT_EDITOR: "true" } }));
  for (const name of ["session", "artifact", "memory", "eval", "runner"] as const) world.start(name);
  const scopes = [...USER_SCOPES.map((scope) => `*=${scope}`), "editors=apps:edit"];
  world.start("gateway", 0, {
    ...{ AUTH: "oidc", OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: issuer.audience, OIDC_CLIENT_ID: "pages" },
    ...{ OIDC_SCOPE_MAP: scopes.join(","), DEV_UI: "true", DEV_UI_DIR },
  });
  await world.untilReady();
  const browser = stack.use(await launchBrowser());
  const moved = stack.move();
  const open = async (user: string, address: string) => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    await page.goto(world.url + address);
    expect(new URL(page.url()).pathname).toBe("/auth/login");
    await signInAtProvider(page, user);
    await page.waitForURL(isAt(new URL(address, world.url).pathname));
    return { page, pageErrors: watchPage(page, world.url) };
  };
  return { folder: join(path, APP), url: world.url, open, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** Opens the editor, presses its button, and returns the statuses of the saves. */
async function pressSave(page: Page): Promise<readonly number[]> {
  const shown = async () => (await page.locator("app-canvas").innerText()).split("\n");
  await expect.poll(shown, { timeout: 30_000 }).toEqual(expect.arrayContaining(["researchers", "editor"]));
  const saved = ["?tmp=true", ""].map((query) =>
    page.waitForResponse((response) => response.url().endsWith(`/builder/save${query}`)),
  );
  await page.locator("app-builder-tabs").getByRole("button", { name: "Save" }).click();
  return (await Promise.all(saved)).map((response) => response.status());
}

const cannot = cannotRun("six processes with a browser") || whyNoRedis() !== undefined;

describe.skipIf(cannot)("the pages of six processes with AUTH=oidc", { timeout: 180_000 }, () => {
  it("chat as the user who signed in, and send the API's examples as that user", async () => {
    verifies("authentication:sign-in:page");
    await using rig = await startPlatform();
    const { page } = await rig.open("ada", "/dev-ui/?app=weather");
    await new DevUiPage(page).sendAndFollow("What is the weather in Paris?");
    await page.getByText("It is foggy in Paris").first().waitFor();
    expect(new URL(page.url()).searchParams.get("userId")).toBe("ada");

    await page.goto(`${rig.url}/docs`);
    await page.locator("[data-signed-in]").getByText("ada").waitFor();
    const tryExample = async (name: string) => {
      const operation = page.locator(`[id="operations-${name}"]`);
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Execute" }).click();
      const status = operation.locator(".live-responses-table tbody .response .response-col_status");
      return (await status.innerText()).trim();
    };
    expect(await tryExample("apps-listApps")).toBe("200");
    // The example is of the user `me`.
    expect(await tryExample("sessions-listSessions")).toBe("403");
  });

  it("edit an app for users with the scope for it alone", async () => {
    verifies("authentication:scopes");
    await using rig = await startPlatform();
    const file = join(rig.folder, "root_agent.yaml");
    const before = readFileSync(file, "utf8");
    const edith = await rig.open("edith", `/dev-ui/?app=${APP}&mode=builder`);
    // The UI names its own user to the assistant, and not the one who is signed in.
    await edith.page.locator("app-builder-assistant").getByText("Set EDITOR_MODEL").waitFor();
    expect(await pressSave(edith.page)).toEqual([200, 200]);
    expect(readFileSync(file, "utf8")).toBe(before);

    const ada = await rig.open("ada", `/dev-ui/?app=${APP}`);
    const read = ada.page.waitForResponse((response) => response.url().includes(`/builder`));
    await ada.page.goto(`${rig.url}/dev-ui/?app=${APP}&mode=builder&userId=ada`);
    expect((await read).status()).toBe(403);
    const forced = await ada.page.evaluate<number>(
      `(() => { const form = new FormData(); form.append("files", new File(["name: x"], "${APP}/root_agent.yaml"));
        return fetch("/builder/save", { method: "POST", body: form }).then(({ status }) => status); })()`,
    );
    expect([forced, readFileSync(file, "utf8")]).toEqual([403, before]);
    expect(ada.page.url()).toContain("/dev-ui/");
    await ada.page.goto(`${rig.url}/dev-ui/?app=${APP}&userId=ada`);
    await ada.page.locator(".selector-button").first().click();
    await ada.page.locator(".app-selector-item-name").getByText(APP, { exact: true }).waitFor();
    expect(await ada.page.getByLabel("Create new agent").isVisible()).toBe(false);
  });
});
