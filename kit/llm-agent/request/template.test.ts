import { describe, expect, it } from "vitest";
import { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { type Logger, silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { verifies } from "#test/helpers/verifies.ts";
import { createInvocation } from "#test/helpers/worlds/invocation.ts";
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
    verifies("records:instruction:state-templates", "records:instruction:optional-variables");
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

  it.each([
    [
      "JSON",
      '{"name": "{city}", "tags": [{"id": 1}], "empty": {}}',
      '{"name": "Rome", "tags": [{"id": 1}], "empty": {}}',
    ],
    ["a JSON schema on several lines", '{\n  "type": "object",\n  "properties": { "a": {} }\n}', undefined],
    ["GraphQL", "query { user(id: 4) { name friends { id } } }", undefined, ["id"]],
    ["JSX", '<a style={{color: "red"}} onClick={() => go(x)}>{item.name}</a>', undefined],
    ["code", "if (a) { return b; } else { f({ c }, {}); }", undefined, ["c"]],
    ["CSS", "p { color: red; } @media print { a { b: c } }", undefined],
    ["LaTeX", "\\frac{1}{2} \\textbf{two words}", undefined],
    ["a template of another language", "{{ user.name }} {% if x %} {#each xs}", undefined],
    ["a variable of a shell", "${HOME} ${city} ${user:name}", undefined],
    ["an expression", "{a + b} {x:y:z} {app:} {user: name} {1st} {a-b} {?}", undefined],
    [
      "what only begins like an artifact's name",
      "{artifact.} {artifact.user:} {artifact.a\nb} {artifact}",
      undefined,
      ["artifact"],
    ],
    ["braces that never close", "{ {{ city } {city", "{ Rome {city"],
  ])("leaves the braces of %s alone", async (_, template, filled = template, warned: readonly string[] = []) => {
    const warnings: unknown[] = [];
    const logger: Logger = { ...silentLogger, warn: ({ variable }) => void warnings.push(variable) };
    expect(await fillTemplate(template, contextWith({ city: "Rome", "user:name": "Ada" }, logger))).toBe(filled);
    // A lone name in braces could be intended: the text is kept, and a warning is logged.
    expect(warnings).toEqual(warned);
  });

  it("keeps a name in two braces as written when it has no value", async () => {
    expect(await fillTemplate("{{gone}} \\{{city}}", contextWith({ city: "Rome" }))).toBe("{{gone}} {{city}}");
  });

  it("fills values as they are: what looks like a placeholder in one is not filled again", async () => {
    expect(await fillTemplate("{a} {b}", contextWith({ a: "{b}", b: "$& {a}" }))).toBe("{b} $& {a}");
  });

  it("fills nothing when it is switched off", () => {
    expect(fillTemplate("{city} \\{city} {city?}", contextWith({ city: "Rome" }), InstructionTemplates.OFF)).toBe(
      "{city} \\{city} {city?}",
    );
  });

  it("fails for a missing value when it is strict, and names it", async () => {
    const strict = (template: string) => async () =>
      fillTemplate(template, contextWith({ city: "Rome" }), InstructionTemplates.STRICT);
    expect(await strict('{city} {gone?} \\{gone} {"a": 1}')()).toBe('Rome  {gone} {"a": 1}');
    for (const [template, variable] of [
      ["{app:gone}", "app:gone"],
      ["{artifact.gone.txt}", "artifact.gone.txt"],
    ] as const) {
      await expect(strict(template)()).rejects.toMatchObject({
        reason: "INSTRUCTION_VALUE_MISSING",
        message: `The instruction of agent "helper" names {${variable}}, which is not there. Set it, or write {${variable}?}.`,
      });
    }
  });

  it("is done synchronously if nothing has to be loaded", () => {
    expect(fillTemplate("{city} { gone ? }.", contextWith({ city: "Rome" }))).toBe("Rome .");
  });

  it("inserts artifacts that are text as text, and others as JSON", async () => {
    const artifacts = new InMemoryArtifactService({ clock: new FixedClock() });
    const session = { appName: "app", userId: "u", id: "s" };
    const blob = { mimeType: "image/png", data: "AAAA" };
    const parts = [
      { text: "words" },
      { inlineData: blob },
      { fileData: { fileUri: "gs://b/f" } },
      { inlineData: { data: "AAAA" } },
    ];
    for (const [index, artifact] of parts.entries())
      await artifacts.saveArtifact({ session, filename: `f${index}`, artifact });
    const context = new ReadonlyContext(createInvocation({ artifactService: artifacts }));
    const filled = await fillTemplate("{artifact.f0}|{artifact.f1}|{artifact.f2}|{artifact.f3}", context);
    expect(filled.split("|")).toEqual(["words", ...parts.slice(1).map((part) => JSON.stringify(part))]);
  });

  it("has no artifacts where there is no place for them", async () => {
    const context = new ReadonlyContext(createInvocation());
    expect(await fillTemplate("[{artifact.note.txt?}]", context)).toBe("[]");
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
