import { describe, expect, it } from "vitest";
import { InvocationContext } from "../agents/invocation-context.ts";
import { LlmAgent } from "../agents/llm-agent.ts";
import { ReadonlyContext } from "../agents/readonly-context.ts";
import { createRunConfig } from "../agents/run-config.ts";
import { InMemoryArtifactService } from "../artifacts/in-memory-artifact-service.ts";
import type { JsonValue } from "../platform/json.ts";
import { silentLogger } from "../platform/logger.ts";
import { PluginManager } from "../plugins/plugin-manager.ts";
import { RunTrace } from "../telemetry/run-trace.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { SequentialIds } from "../testing/sequential-ids.ts";
import { PromptHistory } from "./prompt-history.ts";
import { fillTemplate } from "./template.ts";

const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });

function contextWith(state: Record<string, JsonValue>): ReadonlyContext {
  const clock = new FixedClock();
  const ids = new SequentialIds();
  const session = { appName: "app", userId: "u", id: "s", state, events: [], lastUpdateTime: 0, revision: 0 };
  const services = {
    artifactService,
    pluginManager: new PluginManager(),
    clock,
    ids,
    logger: silentLogger,
    captureContent: false,
  };
  const span = new RunTrace(clock, ids).start("invocation", undefined, {});
  const history = new PromptHistory([]);
  const { signal } = new AbortController();
  const invocation = {
    services,
    invocationId: "i",
    session,
    history,
    runConfig: createRunConfig(),
    signal,
    persisted: async () => {},
  };
  return new ReadonlyContext(new InvocationContext(invocation, { agent: new LlmAgent({ name: "helper" }), span }));
}

describe("fillTemplate", () => {
  it.each([
    ["plain text", "plain text"],
    ["{city} and { city }", "Rome and Rome"],
    ["{app:tone} {user:name} {temp:mood}", "kind Ada calm"],
    ["{count} {flag} {list} {nothing}", '3 true ["a"] '],
    ["[{missing?}]", "[]"],
    ["keep {missing} here", "keep {missing} here"],
    ["\\{city}", "{city}"],
    ['json {"a": 1} and {} and {a.b}', 'json {"a": 1} and {} and {a.b}'],
    ["{toString}", "{toString}"],
    ["{{city}}", "Rome"],
  ])("%s", async (template, filled) => {
    const context = contextWith({
      city: "Rome",
      "app:tone": "kind",
      "user:name": "Ada",
      "temp:mood": "calm",
      count: 3,
      flag: true,
      list: ["a"],
      nothing: null,
    });
    expect(await fillTemplate(template, context)).toBe(filled);
  });

  it("inserts the text of an artifact", async () => {
    const session = { appName: "app", userId: "u", id: "s" };
    const data = Buffer.from("from a file").toString("base64");
    await artifactService.saveArtifact({
      session,
      filename: "note.txt",
      artifact: { inlineData: { mimeType: "text/plain", data } },
    });
    expect(await fillTemplate("<{artifact.note.txt}> <{artifact.none?}> <{artifact.gone}>", contextWith({}))).toBe(
      "<from a file> <> <{artifact.gone}>",
    );
  });
});
