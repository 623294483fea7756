import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, it } from "vitest";
import { PageServer } from "#test/helpers/servers/page-server.ts";
import { RestartableServer } from "#test/helpers/servers/restartable-server.ts";
import { REPOSITORY_ROOT } from "#test/helpers/source-files.ts";
import { skipFor } from "#tooling/missing-tool.ts";
import { cannotRun, launchBrowser } from "./browser.ts";

const PAGES = join(REPOSITORY_ROOT, "docs/examples/react-pages");
const INSTALLED = join(REPOSITORY_ROOT, "node_modules/.cache/react-pages");
const PACKAGES = join(INSTALLED, "node_modules");
/** What docs/front-end.md names, in the versions that were tried. */
const NAMES = [
  "react@19.3.1",
  "react-dom@19.3.1",
  "@assistant-ui/react@0.15.22",
  "@assistant-ui/react-google-adk@0.0.27",
];

function lacksPackages(): boolean {
  if (existsSync(join(PACKAGES, "@assistant-ui/react-google-adk"))) return false;
  const command = `npm install --prefix ${INSTALLED} ${NAMES.join(" ")}`;
  try {
    if (process.env["INSTALL_TEST_TOOLS"]) {
      mkdirSync(INSTALLED, { recursive: true });
      execFileSync(
        "npm",
        [...command.split(" ").slice(1), "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"],
        {
          stdio: "ignore",
        },
      );
      return false;
    }
    skipFor(
      "the pages in React",
      `their packages are not installed; INSTALL_TEST_TOOLS=1 installs them, or: ${command}`,
    );
  } catch (error) {
    skipFor("the pages in React", `${command} failed: ${String(error).slice(0, 300)}`);
  }
  return true;
}

async function bundle(page: string): Promise<string> {
  await using build = await rolldown({
    input: join(PAGES, page),
    platform: "browser",
    resolve: { modules: [PACKAGES], alias: { "fairlead/client": join(REPOSITORY_ROOT, "client/index.ts") } },
    onLog: () => {},
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await build.generate({ format: "esm", codeSplitting: false });
  return output[0].code;
}

async function startWorld(page: string) {
  await using stack = new AsyncDisposableStack();
  const pages = stack.use(await PageServer.start());
  const index = readFileSync(join(PAGES, "index.html"), "utf8").replace(/chat\.jsx/, "page.js");
  pages.files.set("/react.html", index).set("/page.js", await bundle(page));
  const server = stack.use(await RestartableServer.start({ environment: { CORS_ORIGINS: pages.origin } }));
  const browser = await launchBrowser();
  stack.defer(() => browser.close());
  const opened = await browser.newPage();
  const open = async (app: string) => {
    await opened.goto(`${pages.origin}/react.html?app=${app}&server=${encodeURIComponent(server.url)}`);
    return opened;
  };
  const owned = stack.move();
  return { open, server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe.skipIf(cannotRun("the pages in React") || lacksPackages())("the pages in React", () => {
  it("chats, asks for a confirmation and keeps the conversation, with fairlead/client", async () => {
    await using world = await startWorld("chat.jsx");
    const page = await world.open("expenses");
    await page.getByLabel("Message").fill("Reimburse 250 euros for a chair");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    const answer = () => page.locator("li").last().textContent();
    await expect.poll(answer).toMatch(/250/);
    await expect.poll(() => page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    await page.reload();
    await expect.poll(answer).toMatch(/250/);
  });

  it("chats with @assistant-ui/react-google-adk, which speaks to the server as it is", async () => {
    await using world = await startWorld("assistant.jsx");
    const page = await world.open("weather");
    await page.getByLabel("Message").fill("What is the weather in Paris?");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => page.locator("#page").textContent()).toMatch(/It is foggy in Paris/);
  });
});
