import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { CallbackContext } from "./callback-context.ts";

function contextWithFiles(): CallbackContext {
  const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
  return new CallbackContext(createInvocation({ artifactService }));
}

describe("CallbackContext", () => {
  it("gives callbacks of the model the id of the event under construction", async () => {
    verifies("callbacks:context:event-id");
    const ids: (string | undefined)[] = [];
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel(["hi"]),
      beforeModelCallback: ({ eventId }) => void ids.push(eventId),
      afterModelCallback: ({ eventId }) => void ids.push(eventId),
    });
    const [event] = await (await createAgentWorld(agent)).run("hello");
    expect(ids).toEqual([event?.id, event?.id]);
  });

  it("gives callbacks of the agent the id of the event under construction", async () => {
    verifies("callbacks:context:event-id");
    const ids: (string | undefined)[] = [];
    const changeState = (context: CallbackContext): void => {
      ids.push(context.eventId);
      context.state.set(`change-${ids.length}`, true);
    };
    const agent = new LlmAgent({
      name: "helper",
      model: new ScriptedModel(["hi"]),
      beforeAgentCallback: changeState,
      afterAgentCallback: changeState,
    });
    const events = await (await createAgentWorld(agent)).run("hello");
    expect(ids).toEqual([events[0]?.id, events[2]?.id]);
  });

  it("saves, lists, loads and deletes artifacts, and records it in the event's actions", async () => {
    verifies(
      "callbacks:context:list-artifacts",
      "event-actions:artifact-delta",
      "event-actions:deleted-artifact-ids",
      "typescript:sets",
    );
    const context = contextWithFiles();
    expect(await context.saveArtifact("b.txt", { text: "one" })).toBe(0);
    expect(await context.saveArtifact("b.txt", { text: "two" })).toBe(1);
    await context.saveArtifact("user:a.txt", { text: "mine" });
    expect(await context.listArtifacts()).toEqual(["b.txt", "user:a.txt"]);
    expect([await context.loadArtifact("b.txt"), await context.loadArtifact("b.txt", 0)]).toEqual([
      { text: "two" },
      { text: "one" },
    ]);
    expect(context.eventActions.artifactDelta).toEqual({ "b.txt": 1, "user:a.txt": 0 });
    for (const name of ["user:a.txt", "b.txt", "user:a.txt"]) await context.deleteArtifact(name);
    expect([await context.listArtifacts(), context.eventActions]).toMatchObject([
      [],
      { artifactDelta: {}, deletedArtifactIds: ["user:a.txt", "b.txt"] },
    ]);
  });

  it("fails with an error that names the missing artifact service", async () => {
    const context = new CallbackContext(createInvocation());
    await expect(context.listArtifacts()).rejects.toMatchObject({ reason: "SERVICE_MISSING" });
  });
});
