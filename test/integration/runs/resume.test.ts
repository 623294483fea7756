import { describe, expect, it } from "vitest";
import type { BaseAgent } from "#kit/core/base-agent.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { RecordingPlugin } from "#kit/testing/recording-plugin.ts";
import { functionCallResponse } from "#kit/testing/scripted-model.ts";
import { FunctionTool, LongRunningFunctionTool } from "#kit/tools/function-tool.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { brief } from "#test/helpers/worlds/agent-world.ts";
import { type Cut, CutWorld } from "#test/helpers/worlds/cut-runs.ts";
import {
  call,
  type Effects,
  effectTool,
  SCENARIOS,
  type Scenario,
  thinking,
} from "#test/helpers/worlds/resume-scenarios.ts";

interface Outcome {
  readonly events: readonly string[];
  readonly state: unknown;
  readonly effects: readonly string[];
}

/** Branches run at the same time, so that their events may be stored in another order; within each the order counts. */
function byBranch(events: readonly Event[]): readonly string[] {
  const described = events.map((event) => ({ at: event.branch ?? "", what: brief(event) }));
  return described.toSorted((a, b) => a.at.localeCompare(b.at)).map(({ at, what }) => `${at} ${what}`);
}

async function outcomeOf(scenario: Scenario, cuts: readonly Cut[]): Promise<Outcome & { readonly writes: number }> {
  const effects: Effects = new Map();
  const world = new CutWorld(() => scenario.createAgent(effects));
  const writes = await world.run("go", cuts);
  expect((await world.record())?.status).toBe("succeeded");
  const { events, state } = await world.session();
  return { events: byBranch(events), state, effects: [...effects.values()].toSorted(), writes };
}

describe("a run that is cut off and recovered by another runner", () => {
  it.each(SCENARIOS)("ends as if nothing had happened, wherever the cut is: $title", async (scenario) => {
    verifies("agents:resume");
    const { writes, ...whole } = await outcomeOf(scenario, []);
    expect(whole.events.length).toBeGreaterThan(1);
    for (let write = 1; write <= writes; write += 1) {
      for (const when of ["before", "after"] as const) {
        const { writes: _, ...cut } = await outcomeOf(scenario, [{ write, when }]);
        expect(cut, `cut ${when} write ${write} of ${writes}`).toEqual(whole);
      }
    }
  });

  it.each(SCENARIOS)("gets to the same end one write at a time: $title", async (scenario) => {
    const { writes, ...whole } = await outcomeOf(scenario, []);
    const cuts = Array.from({ length: 3 * writes }, (): Cut => ({ write: 1, when: "after" }));
    const { writes: _, ...cut } = await outcomeOf(scenario, cuts);
    expect(cut).toEqual(whole);
  });

  it("ends as interrupted when its app does not let it be recovered, once more than its message was stored", async () => {
    let looks = 0;
    const look = new FunctionTool({
      name: "look",
      description: "Looks.",
      idempotent: true,
      execute: () => ({ at: ++looks }),
    });
    const createAgent = (): BaseAgent =>
      new LlmAgent({
        name: "helper",
        model: thinking(({ contents }) =>
          contents.at(-1)?.parts?.[0]?.functionResponse === undefined ? functionCallResponse("look", {}) : "yes",
        ),
        tools: [look],
      });
    const world = new CutWorld(createAgent, [], { isResumable: false });
    await world.run("one", [{ write: 1, when: "before" }]);
    expect([looks, (await world.record())?.status]).toEqual([1, "succeeded"]);
    const before = (await world.events()).length;
    await world.run("two", [{ write: 1, when: "after" }]);
    expect([looks, (await world.record())?.status]).toEqual([1, "interrupted"]);
    const after = (await world.events()).slice(before).map(brief);
    expect([after[0], after.at(-1)]).toEqual([
      "user: two",
      "helper: ! RUN_INTERRUPTED: The run was interrupted, and its app does not allow its recovery. Send the message again.",
    ]);
    await world.run("three");
    expect((await world.events()).map(brief).at(-1)).toBe("helper: yes");
  });

  it("never runs a call twice whose tool is not idempotent, and reports to the model that its outcome is unknown", async () => {
    const createAgent = (runs: string[], responded: string[]): BaseAgent =>
      new LlmAgent({
        name: "payer",
        model: thinking((request) => {
          const responses = request.contents
            .flatMap(({ parts = [] }) => parts)
            .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [functionResponse]));
          responded.push(...responses.map(({ response }) => String(response?.["error"] ?? "paid")));
          return responses.length === 0 ? functionCallResponse("pay", { item: "rent" }) : "done";
        }),
        tools: [
          new FunctionTool({
            name: "pay",
            description: "Pays.",
            execute: (_args, { functionCallId }) => {
              runs.push(functionCallId ?? "");
            },
          }),
        ],
      });
    const outcomes: string[] = [];
    for (let write = 1; write <= 3; write += 1) {
      for (const when of ["before", "after"] as const) {
        const [runs, responded]: [string[], string[]] = [[], []];
        const world = new CutWorld(() => createAgent(runs, responded));
        await world.run("pay the rent", [{ write, when }]);
        expect(new Set(runs).size).toBe(runs.length);
        expect(runs.length).toBeLessThan(2);
        outcomes.push(`${when} ${write}: ran ${runs.length}, ${responded.at(-1)}`);
      }
    }
    const unknown =
      "The run was interrupted while this call ran; whether it took effect is unknown. It was not run again.";
    expect(outcomes).toEqual([
      "before 1: ran 1, paid",
      `after 1: ran 0, ${unknown}`,
      `before 2: ran 1, ${unknown}`,
      "after 2: ran 1, paid",
      "before 3: ran 1, paid",
      "after 3: ran 1, paid",
    ]);
  });

  it("takes the message once, as plugins wanted it, and counts the tokens of all that was stored", async () => {
    const usageMetadata = { totalTokenCount: 5 };
    for (let write = 1; write <= 5; write += 1) {
      const effects: Effects = new Map();
      const plugin = new RecordingPlugin("editor", { onUserMessageCallback: () => userContent("edited") });
      const createAgent = (): BaseAgent =>
        new LlmAgent({
          name: "worker",
          model: thinking((request) => {
            const [first] = request.contents;
            expect(first?.parts).toEqual([{ text: "edited" }]);
            const answered = request.contents.length > 2;
            return { ...(answered ? { content: modelContent("done") } : call("work", "it")), usageMetadata };
          }),
          tools: [effectTool(effects, "work")],
        });
      const world = new CutWorld(createAgent, [plugin]);
      await world.run("raw", [{ write, when: "after" }]);
      expect((await world.events()).map(brief)).toEqual([
        "user: edited",
        'worker: work({"item":"it"})',
        'worker: work -> {"done":"it"}',
        "worker: done",
      ]);
      expect(plugin.hooks.filter((hook) => hook === "onUserMessageCallback")).toHaveLength(1);
      expect((await world.record())?.usage).toMatchObject({ totalTokenCount: 10 });
    }
  });

  it("reports to the model that a long-running call may have begun, and does not wait for an answer that may never come", async () => {
    const begun: string[] = [];
    const createAgent = (): BaseAgent =>
      new LlmAgent({
        name: "asker",
        model: thinking((request) => {
          const { response } = request.contents.at(-1)?.parts?.[0]?.functionResponse ?? {};
          return response === undefined ? functionCallResponse("ask") : `I see: ${String(response["error"])}`;
        }),
        tools: [
          new LongRunningFunctionTool({
            name: "ask",
            description: "Asks.",
            execute: () => {
              begun.push("asked");
            },
          }),
        ],
      });
    const world = new CutWorld(createAgent);
    await world.run("go", [{ write: 1, when: "after" }]);
    expect((await world.events()).map(brief).at(-1)).toMatch(
      /^asker: I see: The run was interrupted while this call ran/,
    );
    expect((await world.record())?.status).toBe("succeeded");
    expect(begun.length).toBeLessThan(2);
  });
});
