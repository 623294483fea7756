import { describe, expect, it } from "vitest";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { modelContent, userContent } from "#kit/events/content.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { heldStep } from "#test/helpers/worlds/held-step.ts";
import { createRunnerWorld, KEY } from "#test/helpers/worlds/runner-world.ts";
import { createRunnerService } from "../create-runner-service.ts";
import { closeAbandonedRuns } from "./close-abandoned-runs.ts";

describe("closeAbandonedRuns", () => {
  it("ends the runs that a process of the same name left open and frees the session", async () => {
    const held = heldStep("never");
    const world = await createRunnerWorld([held.step]);
    const first = await world.start("a");
    const second = await world.start("b");
    await held.begun;

    // A process that starts on the same stores after the old one has stopped.
    expect(await closeAbandonedRuns(world.deps)).toBe(2);
    const model = new ScriptedModel(["back"]);
    const next = createRunnerService({
      ...world.deps,
      agentLoader: new StaticAgentLoader([new LlmAgent({ name: "app", model })]),
    });
    const run = await next.startRun({ session: KEY, request: { newMessage: userContent("c") } });
    await world.read(run.runId);

    const records = await Promise.all([first, second, run].map(({ runId }) => world.store.get(runId)));
    expect(records.map((record) => [record?.status, record?.error?.reason])).toEqual([
      ["interrupted", "RUN_INTERRUPTED"],
      ["interrupted", "RUN_INTERRUPTED"],
      ["succeeded", undefined],
    ]);
    expect(await world.texts()).toEqual([
      "user: a",
      "app: RUN_INTERRUPTED",
      "user: b",
      "app: RUN_INTERRUPTED",
      "user: c",
      "app: back",
    ]);
    expect(model.requests[0]?.contents).toEqual([userContent("a"), userContent("b"), userContent("c")]);
  });

  it("has nothing to do after a clean end", async () => {
    const { deps, start, read, texts } = await createRunnerWorld([{ content: modelContent("hello") }]);
    await read((await start("hi")).runId);
    expect([await closeAbandonedRuns(deps), await texts()]).toEqual([0, ["user: hi", "app: hello"]]);
  });
});
