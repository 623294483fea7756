import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import { InstructionTemplates } from "#kit/core/instruction.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { textOf } from "#kit/events/content.ts";
import type { JsonValue } from "#kit/platform/json.ts";
import { sessionKey } from "#kit/sessions/session.ts";
import { ARTIFACT_PREFIX, findPlaceholders, readPlaceholder } from "./read-placeholder.ts";

/**
 * Fills an instruction from session state and artifacts: `{key}`, `{app:key}`, `{user:key}`, `{temp:key}`,
 * `{artifact.file}`. With `?` before the brace a missing value is empty text; without it the placeholder stays as
 * written and a warning is logged, so that text with braces of its own does not fail a run (STRICT: throws
 * `INSTRUCTION_VALUE_MISSING`). `\{key}` and `${key}` are never filled. Anything that is not such a name stays as
 * written.
 */
export function fillTemplate(
  template: string,
  context: ReadonlyContext,
  templates: InstructionTemplates = InstructionTemplates.LENIENT,
): string | Promise<string> {
  if (templates === InstructionTemplates.OFF) return template;
  const segments: (string | Promise<string>)[] = [];
  let waits = false;
  let from = 0;
  for (const [start, end] of findPlaceholders(template)) {
    const filled = fillPlaceholder(template.slice(start, end), context, templates);
    waits ||= typeof filled !== "string";
    segments.push(template.slice(from, start), filled);
    from = end;
  }
  segments.push(template.slice(from));
  return waits ? Promise.all(segments).then((texts) => texts.join("")) : segments.join("");
}

function fillPlaceholder(
  written: string,
  context: ReadonlyContext,
  templates: InstructionTemplates,
): string | Promise<string> {
  const placeholder = readPlaceholder(written);
  if (placeholder.kind === "text") return placeholder.text;
  const isArtifact = placeholder.kind === "artifact";
  const name = isArtifact ? ARTIFACT_PREFIX + placeholder.filename : placeholder.key;
  const missing = (): string => (placeholder.isOptional ? "" : withoutValue(name, written, context, templates));
  if (isArtifact) return artifactText(placeholder.filename, context).then((text) => text ?? missing());
  return stateText(name, context) ?? missing();
}

function withoutValue(
  variable: string,
  placeholder: string,
  context: ReadonlyContext,
  templates: InstructionTemplates,
): string {
  const { agentName, sessionId } = context;
  if (templates === InstructionTemplates.STRICT) {
    throw new PlatformError(
      "INSTRUCTION_VALUE_MISSING",
      `The instruction of agent "${agentName}" names {${variable}}, which is not there. Set it, or write {${variable}?}.`,
      { details: { variable } },
    );
  }
  context.invocationContext.services.logger.warn(
    { agentName, sessionId, variable },
    "instruction names a value that is not there",
  );
  return placeholder;
}

function stateText(name: string, context: ReadonlyContext): string | undefined {
  const state = context.readonlyState;
  if (!Object.hasOwn(state, name)) return undefined;
  return toText(state[name]);
}

function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

async function artifactText(filename: string, context: ReadonlyContext): Promise<string | undefined> {
  const { artifactService, session } = context.invocationContext;
  const part = await artifactService?.loadArtifact({ session: sessionKey(session), filename });
  if (part === undefined) return undefined;
  if (part.text !== undefined) return textOf({ parts: [part] });
  const { mimeType, data } = part.inlineData ?? {};
  if (data === undefined || mimeType?.startsWith("text/") !== true) return JSON.stringify(part);
  return Buffer.from(data, "base64").toString("utf8");
}
