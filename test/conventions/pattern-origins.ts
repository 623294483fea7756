import type { SourceFile } from "#test/helpers/source-files.ts";

/** What an agent's own code gives to the kit. All other schemas may come from servers, users and definitions. */
const TAKE_SCHEMAS_OF_CODE = new Set(["kit/tools/function-tool.ts", "kit/llm-agent/base/base-llm-agent.ts"]);

/** The one module that compiles JSON Schema, with patterns that are matched in linear time. */
const COMPILES = "kit/schema/schema.ts";

/** Checkers of JSON Schema that match its patterns with JavaScript's own engine. */
const CHECKERS =
  /(?:from|import\()\s*"(?:typebox\/(?:schema|value|compile)|ajv|@cfworker\/json-schema)|\bfromJSONSchema\b/;

const UNCHECKED = /^(?:test|bench|tooling|docs|deploy|charts)\/|\.test\.ts$/;

/** Places where a pattern that others wrote could reach JavaScript's own engine for regular expressions. */
export function patternOriginFaults({ path, text }: SourceFile): readonly string[] {
  if (UNCHECKED.test(path)) return [];
  const faults: string[] = [];
  if (/\bisOwn: true\b/.test(text) && !TAKE_SCHEMAS_OF_CODE.has(path))
    faults.push(`${path} calls a schema an agent's own: only its code may use all of JavaScript's patterns.`);
  if (CHECKERS.test(text) && path !== COMPILES)
    faults.push(`${path} compiles a schema itself: use toSchema, which bounds the time of patterns.`);
  return faults;
}
