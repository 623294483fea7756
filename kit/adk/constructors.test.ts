import { expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import * as kit from "./index.ts";

/** Classes that ADK for JavaScript 2.0 constructs without an argument, as its samples do. */
const WITHOUT_OPTIONS = [
  "BuiltInCodeExecutor",
  "EnterpriseWebSearchTool",
  "ExampleTool",
  "ExitLoopTool",
  "GlobalInstructionPlugin",
  "GoogleMapsGroundingTool",
  "GoogleSearchTool",
  "InMemoryArtifactService",
  "InMemoryCredentialService",
  "InMemoryMemoryService",
  "InMemorySessionService",
  "LiveRequestQueue",
  "LoadArtifactsTool",
  "LoadMemoryTool",
  "LoggingPlugin",
  "PluginManager",
  "PreloadMemoryTool",
  "State",
  "UrlContextTool",
] as const;

it.each(WITHOUT_OPTIONS)("%s is constructed without options, or with none of them set", (name) => {
  verifies("platform:adk-javascript:constructors");
  // The constructors differ in their options, of which none is required.
  const Class = kit[name] as unknown as new (options?: object) => object;
  expect(new Class()).toBeInstanceOf(Class);
  if (name !== "PluginManager") expect(new Class({})).toBeInstanceOf(Class);
});

it("keeps artifacts and memory in stores without options", async () => {
  const session = { appName: "app", userId: "ada", id: "talk" };
  const artifacts = new kit.InMemoryArtifactService();
  const { createTime } = await artifacts.saveArtifact({ session, filename: "a.txt", artifact: { text: "tea" } });
  expect(Math.abs(createTime - kit.systemClock.now())).toBeLessThan(60_000);
  const memory = new kit.InMemoryMemoryService();
  await memory.addMemoryEntries(session, [{ content: kit.userContent("tea at five") }]);
  expect((await memory.searchMemory(session, "tea")).memories).toHaveLength(1);
});

it("takes the positional arguments of ADK's plugins and tools", () => {
  expect(new kit.GlobalInstructionPlugin("Be brief.", "brief").name).toBe("brief");
  expect(new kit.LoggingPlugin("log").name).toBe("log");
  expect(new kit.ExampleTool([]).name).toBe("example_tool");
});
