import { describe, expect, it } from "vitest";
import { createInvocation } from "#test/helpers/invocation.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { ReadonlyContext } from "../agents/readonly-context.ts";
import { InMemoryArtifactService } from "../artifacts/in-memory-artifact-service.ts";
import type { JsonValue } from "../platform/json.ts";
import { type Logger, silentLogger } from "../platform/logger.ts";
import { FixedClock } from "../testing/fixed-clock.ts";
import { fillTemplate } from "./template.ts";

const artifactService = new InMemoryArtifactService({ clock: new FixedClock() });

function contextWith(state: Record<string, JsonValue>, logger: Logger = silentLogger): ReadonlyContext {
  return new ReadonlyContext(createInvocation({ state, artifactService, logger }));
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
    verifies("records:instruction:state-templates");
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

  it("warns of a missing value that is not optional, and leaves the placeholder as written", async () => {
    verifies("records:instruction:optional-variables");
    const warnings: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) };
    const template = "{gone} [{gone?}] \\{gone} {not a name}";
    expect(await fillTemplate(template, contextWith({}, logger))).toBe("{gone} [] {gone} {not a name}");
    expect(warnings).toEqual([{ agentName: "helper", sessionId: "s", variable: "gone" }]);
  });

  it("inserts the text of an artifact", async () => {
    verifies("records:instruction:artifact-templates");
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
