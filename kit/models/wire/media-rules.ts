import type { Blob, FileData, Part } from "#kit/events/content.ts";

/** Which files a provider takes. Text is sent to all of them as text; what is not named here becomes a note. */
export interface MediaRules {
  /** Types whose data may be part of a message. */
  readonly data: RegExp;
  /** Types that may be named by address; absent: none. */
  readonly files?: { readonly address: RegExp; readonly types: RegExp };
}

/** Types of text, whatever their main type says: programs of all kinds write them. */
const TEXT =
  /^text\/|^(image\/svg|[\w.-]+\/[\w.+-]+)\+(xml|json|yaml)$|^application\/(json|jsonl|x-ndjson|json5|xml|csv|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|sql|graphql|x-sh|x-python|x-httpd-php|x-tex|rtf|x-www-form-urlencoded)$/;
const KILOBYTE = 1024;

/** The part as the provider takes it: unchanged, as text, or as a note that says what is missing. */
export function withAcceptedMedia(part: Part, { data, files }: MediaRules): Part {
  const { inlineData, fileData } = part;
  if (inlineData !== undefined) {
    const type = typeOf(inlineData);
    if (data.test(type)) return part;
    const text = TEXT.test(type) ? readText(inlineData.data) : undefined;
    return { text: text ?? noteOf(type, inlineData) };
  }
  if (fileData === undefined) return part;
  const { fileUri = "" } = fileData;
  const type = typeOf(fileData);
  const isTaken = files !== undefined && files.address.test(fileUri) && (type === "" || files.types.test(type));
  return isTaken ? part : { text: noteOf(type, fileData) };
}

/** The type without its parameters, in lower case. */
function typeOf({ mimeType = "" }: Blob | FileData): string {
  return mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Undefined for bytes that are not UTF-8, whatever the file's type says. */
function readText(base64 = ""): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function noteOf(type: string, file: Blob | FileData): string {
  const details = [
    file.displayName,
    type === "" ? "of unknown type" : `of type ${type}`,
    "data" in file ? `${(((file.data?.length ?? 0) * 0.75) / KILOBYTE).toFixed(1)} KB` : undefined,
    "fileUri" in file ? `at ${file.fileUri}` : undefined,
  ];
  return `[A file is not shown here, because this model does not take it: ${details.filter((detail) => detail !== undefined).join(", ")}.]`;
}
