import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { parseExactJson } from "#kit/schema/arguments/exact-json.ts";
import { isJsonType, isXmlType } from "./media-types.ts";

const MAX_RESULT_CHARACTERS = 100_000;
const MAX_ERROR_CHARACTERS = 2000;

/**
 * The result of a call for the model: parsed JSON, `text`, or an `error` with the status and what the server says. The
 * secrets of the request are left out: servers quote them in refusals.
 */
export async function restResult(response: Response, secrets: CallSecrets): Promise<unknown> {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const isJson = isJsonType(type);
  if (!isJson && !isText(type)) {
    await response.body?.cancel();
    if (!response.ok) return failure(response.status, "");
    return { status: response.status, note: `The answer has the media type ${type.slice(0, 100)} and was not read.` };
  }
  const text = redacted(await textOf(response), { isJson, secrets });
  if (!response.ok) return failure(response.status, text);
  if (text === "") return { status: response.status };
  if (text.length > MAX_RESULT_CHARACTERS)
    return { text: text.slice(0, MAX_RESULT_CHARACTERS), truncated: true, characters: text.length };
  return (isJson ? parsed(text) : undefined) ?? { text };
}

/** By the character set that the server names, or UTF-8. */
async function textOf(response: Response): Promise<string> {
  const [, charset = "utf-8"] = /;\s*charset="?([\w.:-]+)/i.exec(response.headers.get("content-type") ?? "") ?? [];
  const bytes = await response.arrayBuffer();
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const OTHER_TEXTS =
  /^application\/(?:(?:x-)?(?:ndjson|jsonl|yaml|javascript|www-form-urlencoded)|graphql|sql|jwt|vnd\.yaml)$/;

function isText(type: string): boolean {
  return type === "" || isXmlType(type) || type.startsWith("text/") || OTHER_TEXTS.test(type);
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    // The server labels its answer wrongly; the model gets it as text.
    return undefined;
  }
}

/** Some servers escape characters in JSON that need no escape, such as `/` and `+`: values are compared after parsing. */
function redacted(
  text: string,
  { isJson, secrets }: { readonly isJson: boolean; readonly secrets: CallSecrets },
): string {
  const clean = secrets.redact(text);
  const value = isJson && ESCAPE.test(clean) ? parsed(clean) : undefined;
  if (typeof value !== "object" || value === null) return clean;
  return secrets.redactJson(value) ? JSON.stringify(value) : clean;
}

/** An escape that `JSON.stringify` does not write. */
const ESCAPE = /\\[u/]/;

function failure(status: number, text: string): { readonly error: string } {
  const said = text === "" ? "no text" : text.slice(0, MAX_ERROR_CHARACTERS);
  return {
    error: `The server answered with HTTP status ${status}: ${said}\nCorrect the arguments if they are the cause. Do not repeat the call more than 3 times.`,
  };
}
