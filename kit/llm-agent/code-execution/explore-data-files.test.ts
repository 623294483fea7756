import { expect, it } from "vitest";
import { externalizeContent } from "#kit/artifacts/inline-data.ts";
import { BaseCodeExecutor } from "#kit/code-executors/base-code-executor.ts";
import type { CodeExecutionResult } from "#kit/core/code-executor.ts";
import type { Event } from "#kit/events/event.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
import { exploreDataFiles } from "./explore-data-files.ts";

class Nothing extends BaseCodeExecutor {
  override async executeCode(): Promise<CodeExecutionResult> {
    return { stdout: "", stderr: "", outputFiles: [] };
  }
}

const agent = new LlmAgent({ name: "helper", codeExecutor: new Nothing({ optimizeDataFile: true }) });
const message = { role: "user", parts: [{ inlineData: { mimeType: "text/csv", data: "A".repeat(400_000) } }] };
const keysOf = (events: readonly Event[]) =>
  events.map(({ content }) => content?.parts?.map((part) => Object.keys(part)[0]).join());

it("finds a data file in the message as a run has it that was recovered: stored outside its event", async () => {
  const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });
  const store = { artifacts: artifactService, session: { appName: "app", userId: "u", id: "s" } };
  const userContent = await externalizeContent(message, store, "event-1");
  expect(Object.keys(userContent.parts?.[0] ?? {})).toEqual(["fileData"]);
  const context = createInvocation({ agent, artifactService, userContent });
  const events = await Array.fromAsync(exploreDataFiles(agent, context));
  expect(keysOf(events)).toEqual(["text,executableCode", "codeExecutionResult"]);
});

it("finds it also where there is no place for artifacts, and nothing in a run without a message", async () => {
  const events = await Array.fromAsync(exploreDataFiles(agent, createInvocation({ agent, userContent: message })));
  expect(keysOf(events)).toEqual(["text,executableCode", "codeExecutionResult"]);
  expect(await Array.fromAsync(exploreDataFiles(agent, createInvocation({ agent })))).toEqual([]);
});
