import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cannotRun } from "./browser.ts";
import { DevUiPage } from "./dev-ui-page.ts";
import { UiWorld } from "./ui-world.ts";

interface Sample {
  readonly app: string;
  readonly question: string;
  /** One for each bubble; those of concurrent agents come in any order. */
  readonly answers: readonly RegExp[];
}

const SAMPLES: readonly Sample[] = [
  {
    app: "research_team_yaml",
    question: "A report about lighthouses.",
    answers: [/History of lighthouses/, /Economy of lighthouses/, /Culture of lighthouses/, /Report on lighthouses/],
  },
  {
    app: "research_desk_yaml",
    question: "A report about lighthouses.",
    answers: [
      /Plan for the goal "report":\s+librarian\s+historian, economist\s+fact_checker\s+editor/,
      /Sources on lighthouses/,
      /History of lighthouses/,
      /Economy of lighthouses/,
      /Checked/,
      /Report on lighthouses/,
    ],
  },
  {
    app: "service_desk",
    question: "My parcel is late and the invoice is wrong.",
    answers: [/Run: parcel_clerk/, /left the depot/, /Run: invoice_clerk/, /counted one article twice/, /Done/],
  },
  {
    app: "slogan_critic",
    question: "A slogan for fresh bread.",
    answers: [/First version/, /Too plain/, /Second version/, /make it short/, /Third version.*warm at dawn/],
  },
  { app: "long_memory", question: "note: buy milk", answers: [/^Noted \(demo\)\. That makes 1 note\.$/] },
];

describe.skipIf(cannotRun("the samples in the developer UI"))("a sample in the developer UI", () => {
  let world: UiWorld;
  beforeAll(async () => {
    world = await UiWorld.start();
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  it.each(SAMPLES)("$app answers, as a whole and streamed", async ({ app, question, answers }) => {
    for (const streamed of [false, true]) {
      const { page, pageErrors } = await world.openPage(`/dev-ui/?app=${app}`);
      const ui = new DevUiPage(page);
      if (streamed) await ui.switchStreamingOn();
      await ui.send(question);
      await expect.poll(async () => (await ui.conversation()).length).toBe(1 + answers.length);
      const [asked, ...bubbles] = await ui.conversation();
      expect(asked).toBe(question);
      for (const answer of answers)
        await expect.poll(() => ui.conversation()).toContainEqual(expect.stringMatching(answer));
      expect(bubbles).toHaveLength(answers.length);
      expect(pageErrors).toEqual([]);
      await page.close();
    }
  });

  it("research_desk_yaml is drawn with its planner, and its agents by the keys between them", async () => {
    const { page, pageErrors } = await world.openPage("/dev-ui/?app=research_desk_yaml");
    const ui = new DevUiPage(page);
    await ui.send("A report about lighthouses.");
    await expect.poll(async () => (await ui.conversation()).at(-1)).toContain("Report on lighthouses");
    await ui.selectEvent(2);
    await expect.poll(() => ui.graphNodes()).toContain("⊷ research_desk (GoalOrientedPlanner)");
    const edges = await page.locator(".svg-graph-wrapper g.edge").allTextContents();
    expect(edges.map((text) => text.trim().split(/\s+/).join(" ")).toSorted()).toEqual([
      "economist->fact_checker economy",
      "editor->translator report",
      "fact_checker->editor checked",
      "historian->fact_checker history",
      "librarian->economist sources",
      "librarian->historian sources",
      "research_desk->librarian",
    ]);
    expect(pageErrors).toEqual([]);
  });

  it("expenses asks before it pays, and pays when a person confirms", async () => {
    for (const streamed of [false, true]) {
      const { page, pageErrors } = await world.openPage("/dev-ui/?app=expenses");
      const ui = new DevUiPage(page);
      if (streamed) await ui.switchStreamingOn();
      await ui.send("Reimburse 250 euros spent on a train ticket.");
      await page.getByText("Confirm or reject the call of reimburse.").waitFor();
      expect((await ui.conversation()).join()).not.toContain("approved and paid");
      await page.getByLabel("Confirmed").check();
      await page.getByRole("button", { name: "Submit" }).click();
      await expect
        .poll(async () => (await ui.conversation()).at(-1))
        .toContain("250 euros for a train ticket were approved and paid");
      expect(pageErrors).toEqual([]);
      await page.close();
    }
  });
});
