import { describe, expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { CallbackContext } from "./callback-context.ts";
import { ReadonlyContext } from "./readonly-context.ts";
import { ToolContext } from "./tool-context.ts";

describe("ToolContext", () => {
  it("asks for confirmation and credentials under the call's id", async () => {
    const context = new ToolContext(createInvocation({ credentialService: new InMemoryCredentialService() }), {
      functionCallId: "c1",
    });
    context.requestConfirmation({ hint: "Sure?", payload: [1] });
    const authScheme = { type: "http", scheme: "bearer" } as const;
    void context.requestCredential({ authScheme });
    await context.credentialsRequested();
    expect(context.actions).toMatchObject({
      requestedToolConfirmations: { c1: { hint: "Sure?", payload: [1], confirmed: false } },
      requestedAuthConfigs: { c1: { authScheme, credentialKey: expect.stringMatching(/^adk_http_/) } },
    });
  });

  it("asks for neither outside a call", () => {
    const context = new ToolContext(createInvocation());
    expect(() => context.requestConfirmation()).toThrow("requestConfirmation needs a call to belong to");
    expect(() => context.requestCredential({ authScheme: { type: "http", scheme: "bearer" } })).toThrow(
      "requestCredential needs a call to belong to",
    );
  });

  it("has the invocation's signal unless the call has one of its own", () => {
    const invocation = createInvocation();
    const { signal } = new AbortController();
    expect(new ToolContext(invocation).signal).toBe(invocation.signal);
    expect(new ToolContext(invocation, { signal }).signal).toBe(signal);
  });

  it("has the members of all callbacks by ADK's names", async () => {
    const invocation = createInvocation();
    invocation.session.state["city"] = "Rome";
    const callback = new CallbackContext(invocation);
    expect([callback.actions, callback.context]).toEqual([callback.eventActions, callback]);
    expect([callback.signal, callback.abortSignal]).toEqual([invocation.signal, invocation.abortSignal]);
    expect([callback.functionCallId, callback.toolConfirmation]).toEqual([undefined, undefined]);
    expect(() => callback.requestConfirmation()).toThrow("requestConfirmation needs a call to belong to");
    expect([invocation.appName, invocation.userId]).toEqual([invocation.session.appName, invocation.session.userId]);
    const { state } = new ReadonlyContext(invocation);
    expect([state.get("city"), state.get("street", "none"), state.has("street"), "set" in state]).toEqual([
      "Rome",
      "none",
      false,
      false,
    ]);
    const { signal } = new AbortController();
    const toolConfirmation = { confirmed: true };
    const tool = new ToolContext(invocation, { functionCallId: "c1", toolConfirmation, signal });
    expect([tool.functionCallId, tool.toolConfirmation, tool.context === tool]).toEqual(["c1", toolConfirmation, true]);
    expect(tool.abortSignal).toBe(signal);
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
