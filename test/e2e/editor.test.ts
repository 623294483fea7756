import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsFolder } from "#test/helpers/worlds/agents-folder.ts";
import { cannotRun } from "./browser.ts";
import { UiWorld } from "./ui-world.ts";

const APP = "research_team_yaml";

function filesOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe.skipIf(cannotRun("the editor of the developer UI"))(
  "the editor of the developer UI",
  { timeout: 90_000 },
  () => {
    it("shows a sample's agents, and its save button loses nothing of them", async () => {
      const { path } = agentsFolder({});
      const folder = join(path, APP);
      cpSync(join("agents", APP), folder, { recursive: true });
      const before = filesOf(folder);
      await using world = await UiWorld.start(path);
      const { page, pageErrors } = await world.openPage(`/dev-ui/?app=${APP}&mode=builder`);
      const agents = ["researchers", "historian", "economist", "culture_critic", "editor"];
      const shown = async () => (await page.locator("app-canvas").innerText()).split("\n");
      await expect.poll(shown, { timeout: 30_000 }).toEqual(expect.arrayContaining(agents));
      const saved = ["?tmp=true", ""].map((query) =>
        page.waitForResponse((response) => response.url().endsWith(`/builder/save${query}`), { timeout: 30_000 }),
      );
      await page.locator("app-builder-tabs").getByRole("button", { name: "Save" }).click();
      for (const response of await Promise.all(saved)) expect(response.status()).toBe(200);
      expect(filesOf(folder)).toEqual(before);
      expect(pageErrors).toEqual([]);
    });
  },
);
