import { isArtifactName } from "#kit/artifacts/artifact-key.ts";

/**
 * Finds the placeholders of a text: one or more opening braces, a name without braces, one or more closing ones; with a
 * backslash or dollar sign before them. Each character is read a fixed number of times, whatever the text.
 */
export function* findPlaceholders(text: string): Generator<readonly [start: number, end: number], void, undefined> {
  for (const { index, 0: core } of text.matchAll(/\{[^{}]*\}/g)) {
    let start = index;
    while (text[start - 1] === "{") start -= 1;
    if (text[start - 1] === "\\" || text[start - 1] === "$") start -= 1;
    let end = index + core.length;
    while (text[end] === "}") end += 1;
    yield [start, end];
  }
}

/** The meaning of braces in an instruction. With `isOptional` a missing value is empty text. */
export type Placeholder =
  /** Braces with anything that is not a name: text to leave as written. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "state"; readonly key: string; readonly isOptional: boolean }
  | { readonly kind: "artifact"; readonly filename: string; readonly isOptional: boolean };

const VARIABLE = /^(?:(?:app|user|temp):)?[\p{L}_][\p{L}\p{N}_]*$/u;
export const ARTIFACT_PREFIX = "artifact.";

/**
 * Reads one placeholder that `findPlaceholders` has found: `{key}`, `{app:key}`, `{user:key}`, `{temp:key}` or
 * `{artifact.file}`, with `?` before the closing brace if it is optional. `\{key}` and `${key}` are text.
 */
export function readPlaceholder(written: string): Placeholder {
  if (written.startsWith("\\")) return { kind: "text", text: written.slice(1) };
  const inner = written.replaceAll(/[{}]/g, "").trim();
  const isOptional = inner.endsWith("?");
  const name = isOptional ? inner.slice(0, -1).trim() : inner;
  if (name.startsWith(ARTIFACT_PREFIX)) {
    const filename = name.slice(ARTIFACT_PREFIX.length);
    if (isArtifactName(filename)) return { kind: "artifact", filename, isOptional };
  }
  return VARIABLE.test(name) ? { kind: "state", key: name, isOptional } : { kind: "text", text: written };
}

/** The state keys that a template names without `?`, each once, in their order: those that it cannot be filled without. */
export function requiredKeysOf(template: string): readonly string[] {
  const keys = new Set<string>();
  for (const [start, end] of findPlaceholders(template)) {
    const placeholder = readPlaceholder(template.slice(start, end));
    if (placeholder.kind === "state" && !placeholder.isOptional) keys.add(placeholder.key);
  }
  return [...keys];
}
