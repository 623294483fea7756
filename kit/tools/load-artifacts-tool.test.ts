import { describe, expect, it } from "vitest";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { type AgentWorld, createAgentWorld } from "#test/helpers/worlds/agent-world.ts";
import type { Part } from "../events/content.ts";
import { artifactForModel, LoadArtifactsTool } from "./load-artifacts-tool.ts";

const SESSION = { appName: "app", userId: "ada", id: "talk" };

async function worldWith(artifacts: Readonly<Record<string, Part>>, names: readonly string[]) {
  const model = new ScriptedModel([functionCallResponse("load_artifacts", { artifact_names: names }), "Read."]);
  const world: AgentWorld = await createAgentWorld(
    new LlmAgent({ name: "reader", model, tools: [new LoadArtifactsTool()] }),
  );
  for (const [filename, artifact] of Object.entries(artifacts)) {
    await world.artifacts.saveArtifact({ session: SESSION, filename, artifact });
  }
  return { world, model };
}

describe("LoadArtifactsTool", () => {
  it("lists the artifacts, and shows those that are asked for in the next request only", async () => {
    verifies("tools:load-artifacts", "what-the-service-does:kit-load-artifacts-tool");
    const { world, model } = await worldWith(
      { "plan.txt": { text: "Go west." }, "user:map.txt": { text: "A map." }, "z.txt": { text: "Z" } },
      // A model may give anything.
      [7, "plan.txt", null, "map.txt", "gone.txt"] as readonly string[],
    );

    await world.run("What is the plan?");

    const [first, second] = model.requests;
    expect(first?.systemInstruction).toContain('["plan.txt","user:map.txt","z.txt"]');
    expect(first?.functionDeclarations.map(({ name }) => name)).toEqual(["load_artifacts"]);
    expect(second?.contents.slice(-3)).toEqual([
      { role: "user", parts: [{ text: "Artifact plan.txt is:" }, { text: "Go west." }] },
      { role: "user", parts: [{ text: "Artifact map.txt is:" }, { text: "A map." }] },
      { role: "user", parts: [{ text: "There is no artifact gone.txt." }] },
    ]);
    expect(JSON.stringify((await world.session()).events)).not.toContain("Go west.");
  });

  it("reports that there are none where no artifacts are kept", async () => {
    verifies("tools:load-artifacts:no-service");
    const model = new ScriptedModel([functionCallResponse("load_artifacts", { artifact_names: ["a.txt"] }), "Sorry."]);
    const agent = new LlmAgent({ name: "reader", model, tools: [new LoadArtifactsTool()] });
    const store = new InMemorySessionStore();
    const runner = new Runner({ appName: "app", agent, sessionService: store, journal: store });
    await store.createSession(SESSION);
    const newMessage = { role: "user", parts: [{ text: "Read a.txt" }] };
    await Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "talk", newMessage }));
    const [answer] = model.requests[1]?.contents.at(-1)?.parts ?? [];
    expect(answer?.functionResponse?.response).toEqual({ error: "There are no artifacts: this server keeps none." });
  });

  it("adds no instruction for a session without artifacts", async () => {
    const { world, model } = await worldWith({}, []);
    await world.run("Hi");
    expect(model.requests[0]?.systemInstruction).not.toContain("artifact");
  });
});

describe("artifactForModel", () => {
  const data = Buffer.from("a,b").toString("base64");

  it.each([
    ["image/png", { inlineData: { mimeType: "image/png", data } }],
    ["application/pdf", { inlineData: { mimeType: "application/pdf", data } }],
    ["text/csv; charset=utf-8", { text: "a,b" }],
    ["application/json", { text: "a,b" }],
    ["application/zip", { text: "[Artifact f: type application/zip, 0.0 KB. It cannot be shown here.]" }],
    ["", { text: "[Artifact f: type unknown, 0.0 KB. It cannot be shown here.]" }],
  ])("converts %s to a part that models can read", (mimeType, part) => {
    expect(artifactForModel({ inlineData: { mimeType, data } }, "f")).toEqual(part);
  });

  it("leaves text and references as they are, and reports missing data", () => {
    const file = { fileData: { fileUri: "gs://a/b" } };
    expect(artifactForModel(file, "f")).toBe(file);
    expect(artifactForModel({ inlineData: { mimeType: "image/png" } }, "f")).toEqual({
      text: "[Artifact f (image/png) has no data.]",
    });
  });
});
