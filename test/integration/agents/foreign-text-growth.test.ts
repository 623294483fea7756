import { describe, expect, it } from "vitest";
import { cutAtCode } from "#kit/code-executors/code-blocks.ts";
import { ProblemList } from "#kit/definitions/yaml/definition-problem.ts";
import { parseDefinition } from "#kit/definitions/yaml/parse-definition.ts";
import { redactText } from "#kit/errors/redact.ts";
import { toStandardBase64 } from "#kit/events/base64.ts";
import { parseOutput } from "#kit/llm-agent/output/check-output.ts";
import { SectionStream, splitSections } from "#kit/llm-agent/planners/plan-sections.ts";
import { findPlaceholders } from "#kit/llm-agent/request/read-placeholder.ts";
import { toCallPart } from "#kit/models/answers/unreadable-call-arguments.ts";
import { deriveArgumentSets, topicOf } from "#kit/models/demo/arguments.ts";
import { isIdentifier, unescapeSegment } from "#kit/names/identifiers.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";
import { LinearPattern } from "#kit/schema/linear-pattern.ts";
import { parseCursor } from "#ports/runs/run-stream.ts";
import { decodePageToken } from "#ports/sessions/page-token.ts";
import { createRewriteUrl } from "#services/gateway/http/rewrite-url.ts";
import { RouteTable } from "#services/gateway/http/route-table.ts";
import { createOriginMatcher } from "#services/gateway/origins/origin-matcher.ts";
import { readIdempotencyKey } from "#services/gateway/requests/idempotency.ts";
import { parseArtifactName, parseArtifactPath } from "#services/gateway/routes/artifact-path.ts";
import { parseSessionCursor } from "#services/gateway/streams/session-cursor.ts";
import { parseTraceParent } from "#shared/tracing/trace-context.ts";
import { cpuGrowth } from "#test/helpers/cpu-growth.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";

const LENGTH = 4000;
const FACTOR = 16;
/** Between the growth of linear work, 16, and of quadratic work, 256. */
const MAX_GROWTH = 70;

const SCHEMA = {
  type: "object",
  properties: {
    city: { type: "string" },
    color: { type: "string" },
    topic: { type: "string" },
    count: { type: "number" },
  },
  required: ["city", "topic"],
};
const origin = createOriginMatcher({
  CORS_MAPPING: "/**/a/*b*/**/c",
  CORS_ORIGINS: ["regex:https?://(a|a)*(\\w+\\.)+x"],
});
const ARTIFACT_ROUTE = "/apps/:appName/users/:userId/sessions/:sessionId/artifacts/*";
const { rewriteUrl } = createRewriteUrl({ PATH_PREFIX: "/team" });
const routes = new RouteTable("");
for (const url of ["/apps/:app/users/:user/sessions/:id", "/apps/:app/artifacts/*"]) routes.add({ url, method: "GET" });
const pattern = new LinearPattern("^(?:(a|a)*|[^b]*x|(\\w+\\s?)*)$", "u");
// The fields that a response needs for the answer to an unknown path.
const reply = {
  header: () => reply,
  redirect: () => reply,
  code: () => reply,
  status: () => reply,
  type: () => reply,
  send: () => reply,
};

/** All code that parses texts of clients, models, definitions and providers. Its errors are ignored here. */
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  "placeholders of instructions": (text) => [...findPlaceholders(text)],
  "structured answers of models": parseOutput,
  "fenced answers of models": (text) => parseOutput(`\`\`\`json\n${text}`),
  "arguments of the demo model": (text) => deriveArgumentSets(SCHEMA, text),
  "topics of the demo model": topicOf,
  "arguments of calls": (text) => toCallPart({ id: "1", name: "a", json: text }),
  "code blocks": (text) =>
    cutAtCode(
      [{ text }],
      [
        ["```tool_code\n", "\n```"],
        ["```python\n", "\n```"],
      ],
    ),
  "plan sections": (text) => splitSections({ text }),
  "streamed plan sections": (text) => {
    const stream = new SectionStream();
    for (let at = 0; at < text.length; at += 500) stream.push(text.slice(at, at + 500));
  },
  base64: toStandardBase64,
  identifiers: isIdentifier,
  "escaped segments": unescapeSegment,
  times: fromIsoTime,
  "cursors of runs": parseCursor,
  "cursors of sessions": parseSessionCursor,
  "page tokens": (text) => decodePageToken("sessions", text),
  "artifact paths": (text) => parseArtifactPath(`/apps/a/users/u/sessions/s/artifacts/${text}`, ARTIFACT_ROUTE),
  "artifact names": (text) => parseArtifactName(`/apps/a/users/u/sessions/s/artifacts/${text}`, ARTIFACT_ROUTE),
  "idempotency keys": (text) => readIdempotencyKey({ "idempotency-key": text }),
  origins: (text) => origin(text, "/a/b/c"),
  "origins' paths": (text) => origin("https://a.x", `/${text}`),
  "paths that are rewritten": (text) => rewriteUrl?.({ url: `/team/${text}` }),
  "unknown paths": (text) => routes.answerUnknown({ url: `/${text}`, method: "GET" } as never, reply as never),
  "trace parents": parseTraceParent,
  "texts that are redacted": redactText,
  "patterns of others": (text) => pattern.test(text),
  "YAML definitions": (text) => parseDefinition(text, new ProblemList("root_agent.yaml")),
};

/** Repetitions that make patterns slow, after a text that starts a match, and before one that cannot end it. */
const UNIT = fc.oneof(
  fc.constantFrom(
    "/",
    "{",
    "}",
    "{{a",
    "```",
    "```\n",
    "\n",
    " ",
    "=",
    '"',
    "“",
    "[",
    "- ",
    "a: ",
    "on ",
    "in A ",
    "a",
    "A ",
    ".",
    "!",
    ":",
    "-",
    "%41",
    "\\",
    "*/",
    "/*PLANNING*/",
    "sk-",
    "&a ",
  ),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 4 }),
);
const EDGE = fc.constantFrom("", "x", "/", "{", "```json\n", '"', "https://", "draw ", "a: &a ", "[", "\n");

describe("the time for foreign text grows no faster than its length:", { timeout: 120_000 }, () => {
  it.each(Object.entries(PARSERS))("%s", async (_, parse) => {
    await fc.assert(
      fc.asyncProperty(EDGE, UNIT, EDGE, async (start, unit, end) => {
        const growth = await cpuGrowth(
          (length) => attempt(parse, start + unit.repeat(length / unit.length) + end),
          LENGTH,
          FACTOR,
        );
        expect(growth).toBeLessThan(MAX_GROWTH);
      }),
      { numRuns: 40 },
    );
  });

  it("and the measure recognizes what grows faster", async () => {
    const growth = await cpuGrowth((length) => "/".repeat(length).replace(/\/+x/, ""), LENGTH / 4, FACTOR);
    expect(growth).toBeGreaterThan(MAX_GROWTH);
  });
});

async function attempt(parse: (text: string) => unknown, text: string): Promise<void> {
  try {
    await parse(text);
  } catch {
    // A refusal is a valid result.
  }
}
