import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { RestartableServer } from "#test/helpers/servers/restartable-server.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { cannotRun, launchBrowser } from "./browser.ts";
import { PageServer } from "./page-server.ts";

/** The sample page and a server of agents, each with its origin, and a browser. */
async function startWorld() {
  await using stack = new AsyncDisposableStack();
  const pages = stack.use(await PageServer.start());
  const server = stack.use(await RestartableServer.start({ environment: { CORS_ORIGINS: pages.origin } }));
  const browser = await launchBrowser();
  stack.defer(() => browser.close());
  const owned = stack.move();
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(pages.origin + path);
    return page;
  };
  const openPage = (app: string): Promise<Page> => open(`/?app=${app}&server=${encodeURIComponent(server.url)}`);
  return { server, pages, open, openPage, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

const shown = (page: Page): Promise<readonly string[]> => page.locator("li").allTextContents();
const complete = (page: Page): Promise<readonly string[]> => page.locator("li:not(.partial)").allTextContents();

describe.skipIf(cannotRun("the sample chat page"))("the sample chat page on an origin of its own", () => {
  it("streams an answer whose connection is cut, and continues after the page is loaded again", async () => {
    await using world = await startWorld();
    const page = await world.openPage("bench");
    const message = "n=100 d=40 s=1";
    await send(page, message);
    await expect.poll(async () => (await shown(page))[1]?.length ?? 0).toBeGreaterThan(10);
    world.server.link.reset();
    const before = (await shown(page))[1]?.length ?? 0;
    await expect.poll(async () => (await shown(page))[1]?.length ?? 0).toBeGreaterThan(before + 10);
    expect(await complete(page)).toEqual([message]);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual([message, expect.stringMatching(/^x+$/)]);
    await expect.poll(() => complete(page)).toEqual([message, "x".repeat(100)]);
  });

  it("asks for a confirmation and sends it", async () => {
    await using world = await startWorld();
    const page = await world.openPage("expenses");
    await send(page, "Reimburse 250 euros spent on a train ticket.");
    await page.getByRole("button", { name: "Approve" }).click();
    await expect.poll(async () => (await complete(page)).at(-1)).toMatch(/approved and paid/);
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  it("stops a run", async () => {
    await using world = await startWorld();
    const page = await world.openPage("bench");
    await send(page, "n=500 d=40 s=1");
    await expect.poll(async () => (await shown(page))[1]?.length ?? 0).toBeGreaterThan(2);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
  });

  it("loads the client in a browser, with nothing but its one file", async () => {
    verifies("platform:client:browser");
    await using world = await startWorld();
    const page = await world.openPage("weather");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.reload();
    await send(page, "What is the weather in Paris?");
    await expect.poll(async () => (await complete(page)).at(-1)).toMatch(/in Paris, at/);
    expect(requests.filter((path) => path.endsWith(".js"))).toEqual([
      "/chat-page.js",
      "/node_modules/fairlead/dist/client/index.js",
    ]);
  });
});

describe.skipIf(cannotRun("the page of the guide to front ends"))("the page of the guide to front ends", () => {
  it("streams an answer without the client, and reconnects", async () => {
    const guide = readFileSync(join(REPOSITORY_ROOT, "docs/front-end.md"), "utf8");
    const [, html = ""] = /^```html\n(.*?)^```$/ms.exec(guide) ?? [];
    await using world = await startWorld();
    const text = html.replace("http://localhost:8000", world.server.url).replace('"weather"', '"bench"');
    expect(text).not.toContain("weather");
    world.pages.files.set("/page.html", text);
    // The session is created after the message was sent.
    world.server.link.set({ kind: "drop" });
    const page = await world.open("/page.html");
    const answer = async (): Promise<string> => (await page.locator("#answer").textContent()) ?? "";
    await page.getByLabel("Message").fill("n=150 d=40 s=1");
    await page.getByRole("button", { name: "Send" }).click();
    world.server.link.heal();
    await expect.poll(async () => (await answer()).length, { timeout: 20_000 }).toBeGreaterThan(10);
    world.server.link.reset();
    await expect.poll(answer, { timeout: 20_000 }).toBe("x".repeat(150));
  });
});
