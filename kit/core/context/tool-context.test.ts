import { describe, expect, it } from "vitest";
import { InMemoryArtifactService } from "#kit/artifacts/in-memory-artifact-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { ToolContext } from "./tool-context.ts";

describe("ToolContext", () => {
  it("asks for confirmation and credentials under the call's id", () => {
    const context = new ToolContext(createInvocation(), { functionCallId: "c1" });
    context.requestConfirmation({ hint: "Sure?", payload: [1] });
    context.requestCredential({ scheme: "oauth2" });
    expect(context.actions).toMatchObject({
      requestedToolConfirmations: { c1: { hint: "Sure?", payload: [1], confirmed: false } },
      requestedAuthConfigs: { c1: { scheme: "oauth2" } },
    });
  });

  it("asks for neither outside a call", () => {
    const context = new ToolContext(createInvocation());
    expect(() => context.requestConfirmation()).toThrow("requestConfirmation needs a call to belong to");
    expect(() => context.requestCredential({})).toThrow("requestCredential needs a call to belong to");
  });

  it("has the invocation's signal unless the call has one of its own", () => {
    const invocation = createInvocation();
    const { signal } = new AbortController();
    expect(new ToolContext(invocation).signal).toBe(invocation.signal);
    expect(new ToolContext(invocation, { signal }).signal).toBe(signal);
  });

  it("saves, lists and deletes artifacts, and records it in the actions", async () => {
    const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
    const context = new ToolContext(createInvocation({ artifactService }));
    await context.saveArtifact("a.txt", { text: "a" });
    await context.saveArtifact("b.txt", { text: "b" });
    await context.deleteArtifact("a.txt");
    expect([await context.listArtifacts(), context.actions]).toEqual([
      ["b.txt"],
      expect.objectContaining({ artifactDelta: { "b.txt": 0 }, deletedArtifactIds: ["a.txt"] }),
    ]);
  });

  it("does not report a file as deleted that was saved again", async () => {
    const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
    const context = new ToolContext(createInvocation({ artifactService }));
    await context.saveArtifact("a.txt", { text: "a" });
    await context.deleteArtifact("a.txt");
    await context.saveArtifact("a.txt", { text: "b" });
    expect(context.actions).toMatchObject({ artifactDelta: { "a.txt": 1 }, deletedArtifactIds: [] });
  });

  it("names the service that is missing", async () => {
    const context = new ToolContext(createInvocation());
    await expect(context.searchMemory("x")).rejects.toMatchObject({ reason: "SERVICE_MISSING" });
    await expect(context.listArtifacts()).rejects.toMatchObject({ reason: "SERVICE_MISSING" });
  });
});
