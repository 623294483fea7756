import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { pausedAnswer, TELLER_AGENTS } from "#test/helpers/servers/paused-answer.ts";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

const SAMPLES = fileURLToPath(new URL("../../agents", import.meta.url));

describe.skipIf(cannotRun("durability in the developer UI"))(
  "the developer UI, when the server changes under it",
  () => {
    it("has the conversation after a restart, and continues it", async () => {
      await using world = await UiWorld.start();
      const first = await world.openPage("/dev-ui/?app=weather");
      const before = new DevUiPage(first.page);
      await before.sendAndFollow("What is the weather in Paris?");
      const said = ["What is the weather in Paris?", expect.stringMatching(/in Paris, at/)];
      await expect.poll(() => before.conversation()).toEqual(said);
      const address = await before.address();
      await first.page.close();

      await world.restart("SIGTERM");
      const { page, pageErrors } = await world.openPage(address);
      const after = new DevUiPage(page);
      await expect.poll(() => after.conversation()).toEqual(said);
      await after.sendAndFollow("What is the weather in Rome?");
      await expect
        .poll(() => after.conversation())
        .toEqual([...said, "What is the weather in Rome?", expect.stringMatching(/in Rome, at/)]);
      expect(pageErrors).toEqual([]);
    });

    it("has the whole answer after kill -9 in its middle, and continues", async () => {
      const tale = pausedAnswer();
      await using world = await UiWorld.start(TELLER_AGENTS);
      const first = await world.openPage("/dev-ui/?app=teller");
      const before = new DevUiPage(first.page);
      await before.sendAndFollow("one");
      await expect.poll(() => before.conversation()).toEqual(["one", "heard one"]);
      await before.switchStreamingOn();
      await before.send(tale.text);
      // The fourth bubble is the active answer.
      await before.bubbles.nth(3).waitFor();
      const address = await before.address();
      await first.page.close();

      await world.restart("SIGKILL");
      tale.tellAll();
      const newestRun = async (): Promise<unknown> => {
        const answer = await fetch(`${world.url}/v1/runs?appName=teller&pageSize=1`);
        // The form of the route's schema.
        return ((await answer.json()) as { readonly runs: readonly unknown[] }).runs[0];
      };
      const resumed = expect.objectContaining({ status: "succeeded", attempts: 2 });
      await expect.poll(newestRun).toEqual(resumed);
      const { page, pageErrors } = await world.openPage(address);
      const after = new DevUiPage(page);
      const stored = ["one", "heard one", tale.text, tale.whole.trim()];
      await expect.poll(() => after.conversation()).toEqual(stored);
      await after.sendAndFollow("two");
      await expect.poll(() => after.conversation()).toEqual([...stored, "two", "heard two"]);
      expect(pageErrors).toEqual([]);
    });

    it("gets another answer after an edit of a YAML agent, without a restart", async () => {
      const agents = mkdtempSync(join(tmpdir(), "e2e-agents-"));
      onTestFinished(() => rmSync(agents, { recursive: true }));
      cpSync(join(SAMPLES, "travel_desk_yaml"), join(agents, "travel_desk_yaml"), { recursive: true });
      const definition = join(agents, "travel_desk_yaml/root_agent.yaml");
      await using world = await UiWorld.start(agents);
      const { page, pageErrors } = await world.openPage("/dev-ui/?app=travel_desk_yaml");
      const ui = new DevUiPage(page);
      await ui.sendAndFollow("Hello");
      await expect.poll(() => ui.conversation()).toEqual(["Hello", expect.stringContaining("You said: “Hello”.")]);

      writeFileSync(definition, readFileSync(definition, "utf8").replace("demo/chat", "demo/artist"));
      await world.logged(/loaded again/);
      await ui.sendAndFollow("Hello");
      await expect
        .poll(() => ui.conversation())
        .toEqual([
          "Hello",
          expect.stringContaining("You said: “Hello”."),
          "Hello",
          "(demo model) I draw pictures. Ask me, for example: draw a red circle.",
        ]);
      expect(pageErrors).toEqual([]);
    });
  },
);
