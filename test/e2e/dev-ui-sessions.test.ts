import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

function exportFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "export-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "session.json");
}

describe.skipIf(cannotRun("sessions in the developer UI"))("the developer UI below a prefix", () => {
  it("renames, exports, imports and deletes a session whose tools have written state and files", async () => {
    verifies("session:import:exported", "wire:paths:published-prefix");
    await using world = await UiWorld.start(undefined, { PATH_PREFIX: "/team-a" });
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=artist");
    const ui = new DevUiPage(page);
    await ui.send("Draw a red circle");
    // The picture has a bubble without text.
    const texts = async (): Promise<readonly string[]> => (await ui.conversation()).filter((text) => text !== "");
    await expect.poll(texts).toHaveLength(2);
    const said = await texts();
    const exported = await ui.address();

    await page.locator(".selector-button").nth(1).click();
    await page.getByLabel("Edit").first().click();
    const name = page.locator("input").first();
    await name.fill("A circle");
    const renamed = page.waitForResponse((response) => response.request().method() === "PATCH");
    await name.press("Enter");
    expect((await renamed).status()).toBe(200);

    const file = exportFile();
    const download = page.waitForEvent("download");
    await page.getByText("Export", { exact: true }).click();
    await (await download).saveAs(file);
    const chooser = page.waitForEvent("filechooser");
    await page.getByText("Import", { exact: true }).click();
    await (await chooser).setFiles(file);
    await expect.poll(() => ui.address()).not.toBe(exported);
    await expect.poll(texts).toEqual(said);
    expect(await page.locator(".selector-button").nth(1).innerText()).toContain("A circle");

    await page.locator(".selector-button").nth(1).click();
    await page.locator("button", { hasText: "Delete" }).first().click();
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.locator("mat-dialog-container").getByRole("button", { name: "Delete" }).click();
    expect((await deleted).status()).toBe(200);
    expect(pageErrors).toEqual([]);
  });
});
