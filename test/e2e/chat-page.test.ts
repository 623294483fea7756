import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PageServer } from "#test/helpers/servers/page-server.ts";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { RestartableServer } from "#test/helpers/servers/restartable-server.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { cannotRun, launchBrowser } from "./browser.ts";

/** The sample page and a server of agents, each with its origin, and a browser. */
async function startWorld({ agentsDir }: { readonly agentsDir?: string } = {}) {
  await using stack = new AsyncDisposableStack();
  const pages = stack.use(await PageServer.start());
  const environment = { CORS_ORIGINS: pages.origin };
  const server = stack.use(
    await RestartableServer.start({ environment, ...(agentsDir !== undefined && { agentsDir }) }),
  );
  const browser = await launchBrowser();
  stack.defer(() => browser.close());
  const owned = stack.move();
  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(20_000);
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
    const tale = pausedAnswer();
    await using world = await startWorld({ agentsDir: TELLER_AGENTS });
    const page = await world.openPage("teller");
    await send(page, tale.text);
    await expect.poll(() => shown(page)).toEqual([tale.text, "1 2 3 "]);
    world.server.link.reset();
    tale.tell(6);
    await expect.poll(() => shown(page)).toEqual([tale.text, "1 2 3 4 5 6 "]);
    expect(await complete(page)).toEqual([tale.text]);
    await page.reload();
    await expect.poll(() => shown(page)).toEqual([tale.text, "1 2 3 4 5 6 "]);
    expect(await complete(page)).toEqual([tale.text]);
    tale.tellAll();
    await expect.poll(() => complete(page)).toEqual([tale.text, tale.whole]);
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
    const button = (name: string) => page.getByRole("button", { name });
    await expect.poll(() => button("Send").isEnabled()).toBe(true);
    // There is nothing to stop before the start is answered.
    world.server.link.set({ kind: "drop" });
    await send(page, "n=10000 d=40 s=1");
    expect([await button("Send").isDisabled(), await button("Stop").isDisabled()]).toEqual([true, true]);
    world.server.link.heal();
    await expect.poll(async () => (await shown(page))[1]?.length ?? 0).toBeGreaterThan(2);
    await button("Stop").click();
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
    const tale = pausedAnswer();
    await using world = await startWorld({ agentsDir: TELLER_AGENTS });
    const text = html.replace("http://localhost:8000", world.server.url).replace('"weather"', '"teller"');
    expect(text).not.toContain("weather");
    world.pages.files.set("/page.html", text);
    // The session is created after the message was sent.
    world.server.link.set({ kind: "drop" });
    const page = await world.open("/page.html");
    const answer = async (): Promise<string> => (await page.locator("#answer").textContent()) ?? "";
    await page.getByLabel("Message").fill(tale.text);
    await page.getByRole("button", { name: "Send" }).click();
    world.server.link.heal();
    await expect.poll(answer).toBe("1 2 3 ");
    world.server.link.reset();
    tale.tellAll();
    await expect.poll(answer).toBe(tale.whole);
  });
});
