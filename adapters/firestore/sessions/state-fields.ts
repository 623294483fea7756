import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { invalidField } from "#kit/schema/read-json.ts";
import { STATE_KEY } from "#kit/sessions/document-keys.ts";
import { StateScope } from "#ports/sessions/state-scope.ts";
import { assertDocumentBytes } from "../database/document-size.ts";
import { type DocumentValue, fieldPath } from "../database/firestore-values.ts";

/** The store's limit for the name of a field. */
const MAX_FIELD_NAME_BYTES = 1500;

/** Characters that a field's name may not contain or begin with, and the escape character itself. */
const TO_ESCAPE = /^_|[\u0000-\u001f\u007f%\ud800-\udfff]/gu;
const EMPTY_NAME = "%";

export interface StateFields {
  /** The member `state` of a document. Each value is JSON text, because the store's own lists cannot contain lists. */
  readonly values: Readonly<Record<string, string>>;
  /** Paths of the fields that the delta sets or removes. */
  readonly mask: readonly string[];
}

/** Converts the text of a key's value. */
export type KeyedText = (key: string, text: string) => string;

/** A delta of one scope as single fields, so that writers of different keys do not overwrite each other. */
export function toStateFields(delta: JsonObject, seal: KeyedText = (_, json) => json): StateFields {
  const values: Record<string, string> = {};
  const mask: string[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(delta)) {
    const name = toFieldName(key);
    mask.push(fieldPath(STATE_KEY, name));
    if (value === null) continue;
    const json = seal(key, JSON.stringify(value));
    bytes += Buffer.byteLength(json);
    values[name] = json;
  }
  assertDocumentBytes("The state that was given", bytes);
  return { values, mask };
}

/** The scope in a document's member `state`. */
export function toStateScope(state: DocumentValue | undefined, open: KeyedText = (_, text) => text): StateScope {
  if (state === undefined || !isJsonObject(state)) return new StateScope();
  const members = Object.entries(state).map(([name, text]) => {
    const key = toKey(name);
    return `${JSON.stringify(key)}:${open(key, String(text))}`;
  });
  return new StateScope(`{${members.join(",")}}`);
}

function toFieldName(key: string): string {
  if (key === "") return EMPTY_NAME;
  const name = key.replace(TO_ESCAPE, (character) => `%${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  if (Buffer.byteLength(name) <= MAX_FIELD_NAME_BYTES) return name;
  throw invalidField("stateDelta", `has a key of over ${MAX_FIELD_NAME_BYTES} bytes. Make it shorter`);
}

function toKey(name: string): string {
  if (name === EMPTY_NAME) return "";
  return name.replace(/%([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
