import type { ReadonlyContext } from "../agents/readonly-context.ts";
import { textOf } from "../events/content.ts";
import type { JsonValue } from "../platform/json.ts";
import { sessionKey } from "../sessions/session.ts";

/** One or more opening braces, a name without braces, one or more closing ones; an escaping backslash in front. */
const PLACEHOLDER = /\\?\{+[^{}]*\}+/g;
const VARIABLE = /^(?:(?:app|user|temp):)?[\p{L}_][\p{L}\p{N}_]*$/u;
const ARTIFACT_PREFIX = "artifact.";

/**
 * Fills an instruction from session state and artifacts: `{key}`, `{app:key}`, `{user:key}`, `{temp:key}`, `{artifact.file}`. With `?`
 * before the brace a missing value is empty text; without it the placeholder stays as written and a warning is logged, so that text with
 * braces of its own does not stop a run. `\{key}` is never filled. Anything that is no such name stays as written.
 */
export async function fillTemplate(template: string, context: ReadonlyContext): Promise<string> {
  if (!template.includes("{")) return template;
  let filled = "";
  let from = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    filled += template.slice(from, match.index) + (await fillPlaceholder(match[0], context));
    from = match.index + match[0].length;
  }
  return filled + template.slice(from);
}

async function fillPlaceholder(placeholder: string, context: ReadonlyContext): Promise<string> {
  if (placeholder.startsWith("\\")) return placeholder.slice(1);
  const inner = placeholder.replaceAll(/[{}]/g, "").trim();
  const optional = inner.endsWith("?");
  const name = optional ? inner.slice(0, -1).trim() : inner;
  const isArtifact = name.startsWith(ARTIFACT_PREFIX);
  if (!isArtifact && !VARIABLE.test(name)) return placeholder;
  const value = isArtifact ? await artifactText(name.slice(ARTIFACT_PREFIX.length), context) : stateText(name, context);
  if (value !== undefined) return value;
  if (optional) return "";
  const { agentName, sessionId } = context;
  context.invocationContext.services.logger.warn(
    { agentName, sessionId, variable: name },
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
