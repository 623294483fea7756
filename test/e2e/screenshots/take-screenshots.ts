import { join } from "node:path";
import { createClient } from "fairlead/client";
import type { Page } from "playwright-core";
import { DevUiPage } from "../dev-ui-page.ts";
import { UiWorld } from "../ui-world.ts";

const IMAGES = join(import.meta.dirname, "../../../docs/images");

/** Takes the pictures of the documents from a server with the samples: the developer UI, the runs and the inbox. */
async function main(): Promise<void> {
  await using world = await UiWorld.start();
  const { page } = await world.openPage("/dev-ui/?app=weather");
  const ui = new DevUiPage(page);
  await ui.sendAndFollow("What is the weather in Paris?");
  await ui.sendAndFollow("Compare Rome and Oslo.");
  await ui.selectEvent(6);
  await page.locator(".svg-graph-wrapper g.node").first().waitFor();
  await take(page, "dev-ui");

  await ask(world.url, "expenses", "Reimburse 250 euros spent on a train ticket.");
  await ask(world.url, "writer_pipeline", "A short text about lighthouses.");
  for (const [name, path] of [
    ["runs", "/console"],
    ["inbox", "/console/inbox"],
  ] as const) {
    const opened = await world.openPage(path);
    await opened.page
      .getByText(name === "runs" ? "writer_pipeline" : "reimburse")
      .first()
      .waitFor();
    await take(opened.page, name);
  }
}

async function take(page: Page, name: string): Promise<void> {
  // Fonts and moving signs have come to rest.
  await page.waitForLoadState("networkidle");
  await page.screenshot({ path: join(IMAGES, `${name}.png`), animations: "disabled" });
}

async function ask(url: string, appName: string, text: string): Promise<void> {
  const client = createClient({ baseUrl: url });
  const session = { appName, userId: "ada", id: "first" };
  await client.sessions.create(session);
  await client.run({ session, newMessage: text });
}

await main();
