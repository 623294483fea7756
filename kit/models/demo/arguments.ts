import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { trimEndOf } from "#kit/platform/trim-end.ts";

const PLACE = /city|location|place|town|country|destination/i;
// A capitalised name after a preposition of place, or else any capitalised word inside a sentence.
const AFTER_PREPOSITION = /\b(?:in|at|for|of|near|to)\s+(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)/u;
const CAPITALISED = /(?<=[\p{L},]\s)(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’-]*)*)/u;
const LOWER_CASE = /\b(?:in|at|for)\s+(\p{Ll}[\p{L}'’-]*)[\s.!?]*$/u;
const COLOR = /\b(?:black|white|gr[ae]y|red|orange|yellow|green|blue|purple|pink|brown|teal|gold)\b/i;
const DEFAULT_COLOR = "teal";
const BEFORE_SUBJECT = /\b(?:about|of|on|draw|paint|sketch)\s/i;
const SENTENCE_END = ".!?";
const MORE_PLACES = /^\s*(?:,|and|or)\s+(?:in\s+)?(\p{Lu}[\p{L}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)/u;

/** Arguments that fit the schema, found in the text; undefined if a required one cannot be found. */
export function deriveArguments(schema: JsonObject, text: string): JsonObject | undefined {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const args: Record<string, JsonValue> = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const value = deriveValue(name, property, text, required.includes(name));
    if (value !== undefined) args[name] = value;
    else if (required.includes(name)) return undefined;
  }
  return args;
}

/** The arguments for each of several places, as in "Paris and Rome"; one set for one place or none. */
export function deriveArgumentSets(schema: JsonObject, text: string): readonly JsonObject[] {
  const args = deriveArguments(schema, text);
  if (args === undefined) return [];
  const name = Object.keys(args).find((key) => PLACE.test(key));
  const first = name === undefined ? undefined : args[name];
  if (name === undefined || typeof first !== "string") return [args];
  const sets = [args];
  let rest = text.slice(text.indexOf(first) + first.length);
  for (let match = MORE_PLACES.exec(rest); match?.[1] !== undefined; match = MORE_PLACES.exec(rest)) {
    sets.push({ ...args, [name]: match[1] });
    rest = rest.slice(match[0].length);
  }
  return sets;
}

/** The topic of the text. */
export function topicOf(text: string): string {
  return quoted(text) ?? subjectOf(text.slice(text.lastIndexOf("\n") + 1)) ?? trimEndOf(text.trim(), SENTENCE_END);
}

function subjectOf(line: string): string | undefined {
  const found = BEFORE_SUBJECT.exec(line);
  if (found === null) return undefined;
  const rest = line.slice(found.index + found[0].length).trim();
  const subject = trimEndOf(/^me\s/i.test(rest) ? rest.slice(2) : rest, SENTENCE_END).trim();
  return subject === "" ? undefined : subject;
}

function deriveValue(name: string, schema: JsonObject, text: string, isRequired: boolean): JsonValue | undefined {
  const options = schema["enum"];
  if (Array.isArray(options))
    return chosen(options, text) ?? schema["default"] ?? (isRequired ? options[0] : undefined);
  switch (schema["type"]) {
    case "string":
      return deriveString(name, text, isRequired) ?? schema["default"];
    case "number":
    case "integer":
      return deriveNumber(schema, text, isRequired);
    case "boolean":
      return schema["default"] ?? (isRequired ? true : undefined);
    case "array":
      return deriveArray(name, schema, text, isRequired);
    case "object":
      return deriveArguments(schema, text);
    default:
      return schema["default"] ?? (isRequired ? text : undefined);
  }
}

function deriveString(name: string, text: string, isRequired: boolean): string | undefined {
  if (PLACE.test(name))
    return AFTER_PREPOSITION.exec(text)?.[1] ?? CAPITALISED.exec(text)?.[1] ?? capitalised(LOWER_CASE.exec(text)?.[1]);
  if (/colou?r/i.test(name)) return COLOR.exec(text)?.[0].toLowerCase() ?? (isRequired ? DEFAULT_COLOR : undefined);
  return quoted(text) ?? (isRequired ? topicOf(text) : undefined);
}

function deriveNumber(schema: JsonObject, text: string, isRequired: boolean): JsonValue | undefined {
  const found = /-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? numberInWords(text);
  if (found !== undefined) return schema["type"] === "integer" ? Math.trunc(Number(found)) : Number(found);
  return schema["default"] ?? (isRequired ? (schema["minimum"] ?? 1) : undefined);
}

const NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** The first number from zero to ten that is written as a word; undefined if there is none. */
function numberInWords(text: string): number | undefined {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.map((word) => NUMBER_WORDS.indexOf(word)).find((value) => value !== -1);
}

function deriveArray(name: string, schema: JsonObject, text: string, isRequired: boolean): JsonValue | undefined {
  if (!isRequired || !isJsonObject(schema["items"])) return isRequired ? [] : undefined;
  const item = deriveValue(name, schema["items"], text, true);
  return item === undefined ? [] : [item];
}

function chosen(options: readonly JsonValue[], text: string): JsonValue | undefined {
  const said = text.toLowerCase();
  return options.find((option) => typeof option === "string" && said.includes(option.toLowerCase()));
}

function capitalised(name: string | undefined): string | undefined {
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
}

function quoted(text: string): string | undefined {
  return /["“]([^"“”]+)["”]/.exec(text)?.[1];
}
