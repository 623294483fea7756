import { describe, expect, it } from "vitest";
import { createApp } from "#kit/core/app.ts";
import type { BaseTool } from "#kit/core/base-tool.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { MemoryEntry, MemoryService } from "#kit/memory/memory-service.ts";
import { Runner } from "#kit/runs/runner.ts";
import { functionCallResponse } from "#kit/testing/index.ts";
import { ScriptedModel } from "#kit/testing/scripted-model.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { userContent } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { SequentialIds } from "../testing/sequential-ids.ts";
import { LoadMemoryTool } from "./load-memory-tool.ts";
import { PreloadMemoryTool } from "./preload-memory-tool.ts";

const ENTRIES: readonly MemoryEntry[] = [
  { id: "1", author: "user", content: userContent("My cat is Tom."), timestamp: "2026-01-02T03:04:05.000Z" },
  { id: "2", content: userContent("A cat purrs.") },
];

async function memoryOf(entries: readonly MemoryEntry[]): Promise<MemoryService> {
  const memory = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds() });
  await memory.addMemoryEntries({ appName: "app", userId: "ada" }, entries);
  return memory;
}

async function ask(model: ScriptedModel, tool: BaseTool, memoryService: MemoryService): Promise<readonly Event[]> {
  const app = createApp({ name: "app", rootAgent: new LlmAgent({ name: "friend", model, tools: [tool] }) });
  const runner = new Runner({ app, memoryService, runConfig: { autoCreateSession: true } });
  const newMessage = userContent("What is my cat's name?");
  return Array.fromAsync(runner.runAsync({ userId: "ada", sessionId: "s", newMessage }));
}

describe("LoadMemoryTool", () => {
  it("lets the model search memory, and describes that to it", async () => {
    verifies("tools:load-memory", "what-the-service-does:kit-load-memory-tool", "memory:load-response:record");
    const model = new ScriptedModel([functionCallResponse("load_memory", { query: "Tom" }), "Tom."]);
    const events = await ask(model, new LoadMemoryTool(), await memoryOf(ENTRIES));
    expect(model.requests[0]?.systemInstruction).toContain("load_memory");
    expect(events[1]?.content?.parts?.[0]?.functionResponse?.response).toEqual({ memories: [ENTRIES[0]] });
  });

  it("reports to the model what a call lacks", async () => {
    const model = new ScriptedModel([functionCallResponse("load_memory", {}), "Hm."]);
    const events = await ask(model, new LoadMemoryTool(), await memoryOf([]));
    expect(events[1]?.content?.parts?.[0]?.functionResponse?.response).toEqual({
      error: 'Give "query", the words to search for, as a text.',
    });
  });
});

describe("PreloadMemoryTool", () => {
  it("passes what memory has on the message to the model directly, and cannot be called", async () => {
    const model = new ScriptedModel(["Tom."]);
    await ask(model, new PreloadMemoryTool(), await memoryOf([...ENTRIES].reverse()));
    expect(model.requests[0]?.systemInstruction).toContain(
      "<PAST_CONVERSATIONS>\nTime: 2026-01-02T03:04:05.000Z\nuser: My cat is Tom.\n",
    );
    expect(model.requests[0]?.systemInstruction).toContain("A cat purrs.\n</PAST_CONVERSATIONS>");
    expect(model.requests[0]?.functionDeclarations).toEqual([]);
  });

  it("adds nothing if nothing is found or memory fails", async () => {
    const broken: MemoryService = Object.assign(await memoryOf([]), {
      searchMemory: () => Promise.reject(new Error("down")),
    });
    for (const memory of [await memoryOf([]), broken]) {
      const model = new ScriptedModel(["Hm."]);
      const events = await ask(model, new PreloadMemoryTool(), memory);
      expect(model.requests[0]?.systemInstruction).not.toContain("PAST");
      expect(events.at(-1)?.content?.parts).toEqual([{ text: "Hm." }]);
    }
  });
});
