import { expect } from "vitest";
import { endOf } from "#test/chaos/chaos-client.ts";
import type { Episode } from "#test/chaos/episode.ts";
import { eventually } from "#test/chaos/timing.ts";
import type { FaultTest } from "#test/chaos/use-rig.ts";
import type { ScriptStep } from "#test/fixtures/chaos-agents/chaos/script.ts";

const SAY: ScriptStep = { say: "well" };

/** F17 and F18: models and tools that fail. */
export function agentSuite(test: FaultTest): void {
  const models: readonly (readonly [string, readonly ScriptStep[], string])[] = [
    ["a failing model", [{ fail: 429 }], "failed"],
    ["a model that fails in the middle of a text", [{ fail: 500, chunks: 5 }], "failed"],
    ["a response without parts", [{ garbage: "no-parts" }], "any"],
    ["a response with a part that is null", [{ garbage: "null-part" }], "any"],
    ["a content that is a text", [{ garbage: "text-content" }], "any"],
    ["an empty answer", [{ garbage: "empty" }], "any"],
    ["no answer", [{ garbage: "nothing" }], "any"],
    ["a call that is none", [{ garbage: "wrong-call" }], "any"],
    ["a call of an unknown tool", [{ call: [{ name: "unknown" }] }, SAY], "succeeded"],
    ["calls without end", [{ call: [{ name: "append_again" }] }], "failed"],
  ];
  test("F17 whatever a model does, its run ends, and the session takes the next message", async (episode) => {
    expect(await endsOf(episode, models)).toEqual(models.map(([name, , end]) => [name, end]));
  });

  test("F17b a model that stalls ends with its run's limit or on request, within a second", async (episode) => {
    const ada = episode.client();
    const observation = await ada.background(await ada.createSession(), [{ stall: 3 }]);
    const reading = ada.follow(observation);
    await eventually("the model stalls", () => observation.frames.filter(({ kind }) => kind === "event").length === 3);
    episode.rig.faults.add("model stalled");
    const isAborted = () => episode.logOf(observation.tag).some((line) => line.includes(" abort "));
    // On the other runner, too.
    expect([await ada.cancel(observation.runId ?? "", 0), await ada.cancel(observation.runId ?? "", 1)]).toEqual([
      200, 200,
    ]);
    await eventually("the model's call is aborted", isAborted, 1000);
    await reading;
    expect(endOf(observation)).toBe("cancelled");
  });

  const tools: readonly (readonly [string, readonly ScriptStep[], string])[] = [
    ["a tool that throws", [{ call: [{ name: "throw" }] }, SAY], "succeeded"],
    ["a tool that hangs", [{ call: [{ name: "hang" }] }, SAY], "succeeded"],
    [
      "many concurrent tools, some broken",
      [{ call: ["throw", "count", "hang", "count"].map((name) => ({ name })) }, SAY],
      "succeeded",
    ],
    ["a tool that returns 2 MB", [{ call: [{ name: "bulk", args: { megabytes: 2 } }] }, SAY], "any"],
    ["a tool that returns 50 MB", [{ call: [{ name: "bulk", args: { megabytes: 50 } }] }, SAY], "any"],
  ];
  test("F18 whatever a tool does, its run ends, and the session takes the next message", async (episode) => {
    expect(await endsOf(episode, tools)).toEqual(tools.map(([name, , end]) => [name, end]));
  });

  test("F18b agents that write to the state at the same time lose nothing", async (episode) => {
    const ada = episode.client();
    const session = await ada.createSession("together");
    const run = ada.run(session, [SAY]);
    const patches = await Promise.all(
      [0, 1, 2, 3].map((index) => ada.patchState(session, { [`patch-${index}`]: index }, index % 2)),
    );
    expect([(await run).status, patches]).toEqual([200, [200, 200, 200, 200]]);
    const { state } = await episode.stored(session);
    const written = ["north", "east", "west"].flatMap((name) =>
      [0, 1, 2, 3, 4].map((round) => [`${name}-${round}`, round]),
    );
    const patched = [0, 1, 2, 3].map((index) => [`patch-${index}`, index]);
    expect(state).toMatchObject(Object.fromEntries([...written, ...patched]));
  });
}

/** How each run ended: as expected, or "any" if only an end is required; after that its session answers. */
async function endsOf(episode: Episode, cases: readonly (readonly [string, readonly ScriptStep[], string])[]) {
  const ada = episode.client();
  return Promise.all(
    cases.map(async ([name, steps, expected], index) => {
      const session = await ada.createSession();
      const observation = await ada.background(session, steps, { gateway: index });
      episode.rig.faults.add(`agent: ${name}`);
      await ada.follow(observation, index);
      const end = endOf(observation);
      const next = await ada.run(session, [SAY], { gateway: index });
      if (next.status !== 200) return [name, `then ${next.status} ${next.reason}`];
      return [name, expected === "any" && end !== undefined ? "any" : end];
    }),
  );
}
