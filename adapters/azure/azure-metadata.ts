import { assertMetadataFits } from "#ports/artifacts/bucket/object-metadata.ts";

/** Names of metadata are written in lower case: answers to single objects have no other. */
const UPPER_CASE = /[A-Z]/g;
const AFTER_UNDERSCORE = /_([a-z])/g;
/** Header values are ASCII, and spaces at their ends and next to others are lost. */
const UNSAFE = /[%\u0000-\u001f\u007f-\uffff]|^ | $| (?= )/g;
const ESCAPE = /%([0-9a-f]{4})/g;
const HEX_DIGITS = 4;

type Metadata = Readonly<Record<string, string>>;

/** Metadata in the form of Azure's headers: `fairleadSaveId` is `fairlead_save_id`. Throws `INVALID_FIELD` if it is too long. */
export function toAzureMetadata(metadata: Metadata): Record<string, string> {
  const headers = mapped(
    metadata,
    (name) => name.replace(UPPER_CASE, (letter) => `_${letter.toLowerCase()}`),
    (value) => value.replace(UNSAFE, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(HEX_DIGITS, "0")}`),
  );
  assertMetadataFits(headers);
  return headers;
}

export function fromAzureMetadata(metadata: Metadata = {}): Record<string, string> {
  return mapped(
    metadata,
    (name) => name.toLowerCase().replace(AFTER_UNDERSCORE, (_, letter: string) => letter.toUpperCase()),
    (value) => value.replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}

function mapped(
  metadata: Metadata,
  name: (text: string) => string,
  value: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).map(([key, text]) => [name(key), value(text)]));
}
