import { MessageConversionException } from "#kit/errors/kit-errors.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { parseExactJson } from "#kit/schema/arguments/exact-json.ts";
import { JsonTexts } from "#kit/schema/arguments/json-texts.ts";

const CONTROL = /[\u0000-\u001f]/g;
/** How often an object may be the text of a text. */
const MAX_LAYERS = 3;

/**
 * The arguments of a call from their JSON text. Models and servers write what is an object beyond doubt in their own
 * ways: no text, `null` or an empty list for no arguments, the text of a text, a block of Markdown, line ends within
 * texts. Throws `MESSAGE_CONVERSION` for anything else.
 */
export function parseArguments(name: string, json: string): JsonObject {
  const what = `arguments of the call of ${name === "" ? "a function" : name}`;
  let value: unknown = json;
  for (let layer = 0; layer < MAX_LAYERS && typeof value === "string"; layer += 1) {
    if (value.trim() === "") return {};
    try {
      value = parsed(value);
    } catch (error) {
      throw MessageConversionException.jsonParsingFailed(what, error);
    }
  }
  if (value === null || (Array.isArray(value) && value.length === 0)) return {};
  if (!isJsonObject(value)) throw MessageConversionException.invalidMessageStructure(`${what} are not an object`);
  return value;
}

function parsed(text: string): unknown {
  const json = withoutFence(text.trim());
  try {
    return parseExactJson(json);
  } catch (error) {
    const escaped = withEscapedControls(json);
    if (escaped === json) throw error;
    return parseExactJson(escaped);
  }
}

/** The text without the marks of a block of Markdown around it. */
function withoutFence(text: string): string {
  const begin = text.indexOf("\n");
  return begin !== -1 && text.startsWith("```") && text.endsWith("```") ? text.slice(begin + 1, -3) : text;
}

/** Control characters within texts, which JSON has as escapes only. */
function withEscapedControls(json: string): string {
  const texts = new JsonTexts(json);
  const pieces: string[] = [];
  let copied = 0;
  for (const { 0: character, index } of json.matchAll(CONTROL)) {
    if (!texts.isWithin(index)) continue;
    pieces.push(json.slice(copied, index), JSON.stringify(character).slice(1, -1));
    copied = index + 1;
  }
  return pieces.join("") + json.slice(copied);
}
