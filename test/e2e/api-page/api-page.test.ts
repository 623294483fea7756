import { mkdirSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { startMounted } from "#test/helpers/worlds/mounted-world.ts";
import { cannotRun, launchBrowser } from "../browser.ts";
import { UiWorld, watchPage } from "../ui-world.ts";

/** Folder for screenshots of the page, for review. */
const PICTURES = process.env["DOCS_PICTURES"];

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

/** Opens an operation, sends its example as it is, and returns the status and the body of the answer. */
async function tryExample(operation: Locator): Promise<{ readonly status: string; readonly body: string }> {
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Execute" }).click();
  const answer = operation.locator(".live-responses-table tbody .response");
  await answer.waitFor({ timeout: 60_000 });
  const status = await answer.locator(".response-col_status").innerText();
  return { status: status.trim(), body: await answer.locator(".highlight-code pre").first().innerText() };
}

// The page renders its whole description first, and takes seconds of one processor for each operation that is opened.
describe.skipIf(cannotRun("the API page"))("the API page", { timeout: 300_000 }, () => {
  it("sends the examples as they are, and passes the id of a run to the other operations of the run", async () => {
    verifies("wire:openapi:page");
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/docs");
    const operation = (name: string) => page.locator(`[id="operations-${name}"]`);
    await operation("apps-listApps").waitFor({ timeout: 60_000 });
    await picture(page, "light");

    const apps = await tryExample(operation("apps-listApps"));
    expect([apps.status, JSON.parse(apps.body)]).toEqual(["200", expect.arrayContaining(["weather", "expenses"])]);
    expect((await tryExample(operation("sessions-createSessionWithId"))).status).toBe("200");
    const run = await tryExample(operation("runs-runAgent"));
    expect(run.status).toBe("200");
    expect(JSON.parse(run.body)).toHaveLength(3);
    const streamed = await tryExample(operation("runs-runAgentStreamed"));
    expect(streamed.status).toBe("200");
    expect(streamed.body).toMatch(/^data: \{/);

    const started = await tryExample(operation("runs-startRun"));
    expect(started.status).toBe("202");
    const { runId } = JSON.parse(started.body) as { readonly runId: string };
    const read = await tryExample(operation("runs-readRun"));
    expect(await operation("runs-readRun").getByPlaceholder("runId").inputValue()).toBe(runId);
    expect([read.status, (JSON.parse(read.body) as { readonly runId: string }).runId]).toEqual(["200", runId]);
    await picture(page, "tried");
    expect(pageErrors).toEqual([]);
  });

  it("opens the subjects that a new user needs, filters, links to operations, and works dark and on a small screen", async () => {
    await using world = await UiWorld.start();
    const { page, pageErrors } = await world.openPage("/docs");
    await page.locator('[id="operations-runs-runAgent"]').waitFor({ timeout: 60_000 });
    const isOpen = (tag: string) => page.locator(`.opblock-tag[data-tag="${tag}"]`).getAttribute("data-is-open");
    await expect.poll(() => isOpen("other spellings")).toBe("false");
    expect([await isOpen("apps"), await isOpen("runs"), await isOpen("not offered")]).toEqual([
      "true",
      "true",
      "false",
    ]);
    await page.locator('[id="operations-runs-streamSession"] .opblock-summary-control').click();
    await page.locator('[id="operations-runs-streamSession"] .responses-table').waitFor();
    expect(await page.getByRole("button", { name: "Execute" }).count()).toBe(0);

    await page.getByPlaceholder("Filter by tag or path").fill("traces");
    await expect.poll(() => page.locator(".opblock-tag").count()).toBe(1);
    await page.getByPlaceholder("Filter by tag or path").fill("");

    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(await background()).toBe("rgb(255, 255, 255)");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(background).toBe("rgb(28, 32, 34)");
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await picture(page, "small-dark");

    await page.goto(`${world.url}/docs/#/traces/readSessionTrace`);
    await page.locator('[id="operations-traces-readSessionTrace"] .responses-table').waitFor({ timeout: 60_000 });
    expect(new URL(page.url()).pathname).toBe("/docs");
    expect(pageErrors).toEqual([]);
  });

  it("works below the prefix of a program that mounts the server, and shows whole addresses", async () => {
    await using world = await startMounted({}, { prefix: "/agents/v1" });
    const url = `${await world.app.listen({ host: "127.0.0.1", port: 0 })}/agents/v1`;
    await using browser = await launchBrowser();
    const page = await browser.newPage();
    const pageErrors = watchPage(page, url);
    await page.goto(`${url}/docs/`);
    const operation = page.locator('[id="operations-apps-listApps"]');
    await operation.waitFor({ timeout: 60_000 });
    expect(await tryExample(operation)).toEqual({ status: "200", body: '[\n  "echo"\n]' });
    expect(await operation.locator(".request-url pre").innerText()).toBe(`${url}/list-apps`);
    expect(pageErrors).toEqual([]);
  });
});
