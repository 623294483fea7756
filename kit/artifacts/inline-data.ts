import { PlatformError } from "../errors/platform-error.ts";
import type { Blob, Content, FileData, Part } from "../events/content.ts";
import type { Event } from "../events/event.ts";
import { isJsonObject, type JsonObject } from "../platform/json.ts";
import type { SessionKey } from "../sessions/session.ts";
import type { ArtifactKey, ArtifactService } from "./artifact-service.ts";
import { type JsonPiece, MarkedContent } from "./json-pieces.ts";

/**
 * Decoded bytes above which data is moved out of its event. An event is read on every turn of its session and a
 * document store accepts at most 1 MiB for it: three blobs of this size still fit, since base64 makes them a third
 * larger.
 */
export const MAX_INLINE_DATA_BYTES = 256 * 1024;

/**
 * A session's large inline data is stored under names with this prefix. Stores keep and delete these files like any
 * other, listings leave them out, and code that receives names from clients refuses them.
 */
export const RESERVED_FILE_PREFIX = "_inline/";

export function isReservedArtifactName(filename: string): boolean {
  return filename.startsWith(RESERVED_FILE_PREFIX);
}

/** Refuses a name that a client may not save under. */
export function assertClientArtifactName(filename: string): void {
  if (!isReservedArtifactName(filename)) return;
  throw new PlatformError(
    "INVALID_IDENTIFIER",
    `filename must not start with ${RESERVED_FILE_PREFIX}: such names belong to the server. Choose another name.`,
    { details: { field: "filename" } },
  );
}

const REFERENCE_SCHEME = "fairlead-inline:";
/** The form of a reference in JSON without spaces; text that quotes it has its quotes escaped and does not match. */
const REFERENCE_MARK = `"fileUri":"${REFERENCE_SCHEME}`;
const BASE64_LENGTH_LIMIT = Math.ceil((MAX_INLINE_DATA_BYTES * 4) / 3);

/** Where the large data of a session is stored. */
export interface InlineDataStore {
  readonly artifacts: ArtifactService;
  readonly session: SessionKey;
}

/** Whether the content has data that must not be part of an event. Looks at lengths only. */
export function hasLargeInlineData(content: Content | undefined): boolean {
  for (const part of content?.parts ?? []) {
    if (isLarge(part.inlineData)) return true;
    for (const nested of part.functionResponse?.parts ?? []) if (isLarge(blobOf(nested))) return true;
  }
  return false;
}

/** Whether the content refers to large data that a model needs in place. Looks at the parts only. */
export function refersToInlineData(content: Content | undefined): boolean {
  for (const part of content?.parts ?? []) {
    if (part.fileData?.fileUri?.startsWith(REFERENCE_SCHEME) === true) return true;
    if (part.functionResponse?.parts?.some((nested) => isJsonObject(nested["fileData"])) === true) return true;
  }
  return false;
}

/** Whether the event's JSON has a reference that must be replaced for a client. One substring search. */
export function hasInlineReference(json: string): boolean {
  return json.includes(REFERENCE_MARK);
}

/**
 * Moves large data of the content to the session's artifacts and puts references in its place; returns the same object
 * if there is none. `ownerId` is unique to the content (an event's or run's id): a repeated call finds the data that
 * the first one stored.
 */
export async function externalizeContent(content: Content, store: InlineDataStore, ownerId: string): Promise<Content> {
  if (!hasLargeInlineData(content)) return content;
  const parts = (content.parts ?? []).map((part, index) =>
    externalizePart(part, store, `${RESERVED_FILE_PREFIX}${ownerId}/${index}`),
  );
  return { ...content, parts: await Promise.all(parts) };
}

/** Externalises the event's content under the event's id. */
export async function externalizeEvent(event: Event, store: InlineDataStore): Promise<Event> {
  if (event.content === undefined || !hasLargeInlineData(event.content)) return event;
  return { ...event, content: await externalizeContent(event.content, store, event.id) };
}

/**
 * Puts the data back into the content; a reference whose artifact is deleted stays. Returns the same object if there is
 * no reference.
 */
export function restoreContent(content: Content, store: InlineDataStore): Promise<Content> {
  return replaceReferences(content, (fileUri) => loadBlob(fileUri, store));
}

/**
 * The event's JSON as `restoreEventJson` returns it, in parts: the data is read while it is written. Undefined if it holds
 * no reference, which is found without waiting.
 */
export function restoredPieces(json: string, store: InlineDataStore): Promise<readonly JsonPiece[]> | undefined {
  return hasInlineReference(json) ? piecesOfEvent(json, store) : undefined;
}

async function piecesOfEvent(json: string, { artifacts, session }: InlineDataStore): Promise<readonly JsonPiece[]> {
  // Stored JSON was written by toEventRecord or checked by the gateway.
  const event = JSON.parse(json) as Event;
  if (event.content === undefined) return [json];
  const marked = new MarkedContent();
  const content = await replaceReferences(event.content, async (fileUri) => {
    const reference = referenceOf(fileUri, session);
    const found = reference && (await artifacts.describeArtifact(reference.key, reference.version));
    return reference && found && marked.markBlob(reference.key, found);
  });
  return content === event.content ? [json] : marked.piecesOf({ ...event, content });
}

/** The data of a reference; undefined if it is none, or its artifact was deleted. */
type LoadBlob = (fileUri: unknown) => Promise<Blob | undefined>;

async function replaceReferences(content: Content, load: LoadBlob): Promise<Content> {
  const parts = content.parts ?? [];
  const restored = await Promise.all(parts.map((part) => restorePart(part, load)));
  return restored.every((part, index) => part === parts[index]) ? content : { ...content, parts: restored };
}

/** Puts the data back into the event's JSON; returns the same string if it holds no reference. */
export async function restoreEventJson(json: string, store: InlineDataStore): Promise<string> {
  if (!hasInlineReference(json)) return json;
  // Stored JSON was written by toEventRecord or checked by the gateway.
  const event = JSON.parse(json) as Event;
  if (event.content === undefined) return json;
  const content = await restoreContent(event.content, store);
  return content === event.content ? json : JSON.stringify({ ...event, content });
}

async function externalizePart(part: Part, store: InlineDataStore, filename: string): Promise<Part> {
  const { inlineData, functionResponse } = part;
  if (inlineData !== undefined && isLarge(inlineData)) {
    return replaceMember(part, "inlineData", { fileData: await storeBlob(inlineData, store, filename) });
  }
  const nested = functionResponse?.parts;
  if (nested === undefined || !nested.some((entry) => isLarge(blobOf(entry)))) return part;
  const parts = nested.map(async (entry, index): Promise<JsonObject> => {
    const blob = blobOf(entry);
    if (blob === undefined || !isLarge(blob)) return entry;
    return replaceMember(entry, "inlineData", {
      fileData: { ...(await storeBlob(blob, store, `${filename}.${index}`)) },
    });
  });
  return { ...part, functionResponse: { ...functionResponse, parts: await Promise.all(parts) } };
}

/** Stores the data, unless the same data is stored already, and returns its reference. */
async function storeBlob(blob: Blob, { artifacts, session }: InlineDataStore, filename: string): Promise<FileData> {
  const key: ArtifactKey = { session, filename };
  const { mimeType, displayName } = blob;
  const existing = await artifacts.getArtifactVersion(key);
  const version =
    existing !== undefined && (await holds(artifacts, key, existing.version, blob))
      ? existing.version
      : (await artifacts.saveArtifact({ ...key, artifact: { inlineData: blob } })).version;
  return {
    fileUri: `${REFERENCE_SCHEME}${filename}#${version}`,
    mimeType,
    displayName,
  };
}

async function holds(artifacts: ArtifactService, key: ArtifactKey, version: number, blob: Blob): Promise<boolean> {
  const stored = (await artifacts.loadArtifact(key, version))?.inlineData;
  return stored?.data === blob.data && stored?.mimeType === blob.mimeType && stored?.displayName === blob.displayName;
}

async function restorePart(part: Part, load: LoadBlob): Promise<Part> {
  if (part.fileData !== undefined) {
    const blob = await load(part.fileData.fileUri);
    return blob === undefined ? part : replaceMember(part, "fileData", { inlineData: blob });
  }
  const nested = part.functionResponse?.parts;
  if (nested === undefined) return part;
  const parts = await Promise.all(nested.map((entry) => restoreNested(entry, load)));
  if (parts.every((entry, index) => entry === nested[index])) return part;
  return { ...part, functionResponse: { ...part.functionResponse, parts } };
}

async function restoreNested(entry: JsonObject, load: LoadBlob): Promise<JsonObject> {
  const fileData = entry["fileData"];
  if (!isJsonObject(fileData)) return entry;
  const blob = await load(fileData["fileUri"]);
  return blob === undefined ? entry : replaceMember(entry, "fileData", { inlineData: { ...blob } });
}

async function loadBlob(fileUri: unknown, { artifacts, session }: InlineDataStore): Promise<Blob | undefined> {
  const reference = referenceOf(fileUri, session);
  return reference && (await artifacts.loadArtifact(reference.key, reference.version))?.inlineData;
}

/**
 * A reference can only name reserved files of its own session, so a reference forged by a client gives no access to
 * other files.
 */
function referenceOf(
  fileUri: unknown,
  session: SessionKey,
): { readonly key: ArtifactKey; readonly version: number } | undefined {
  if (typeof fileUri !== "string" || !fileUri.startsWith(REFERENCE_SCHEME + RESERVED_FILE_PREFIX)) return undefined;
  const match = /^(?<filename>.+)#(?<version>\d{1,9})$/su.exec(fileUri.slice(REFERENCE_SCHEME.length));
  const { filename, version } = match?.groups ?? {};
  return filename === undefined ? undefined : { key: { session, filename }, version: Number(version) };
}

/** Replaces one member of the object by others in the same place, to keep the order of its JSON keys. */
function replaceMember<T extends object, R extends object>(object: T, member: keyof T & string, replacement: R): T & R {
  const entries = Object.entries(object).flatMap(([key, value]) =>
    key === member ? Object.entries(replacement) : [[key, value]],
  );
  // The result has the members of T without the replaced one, which is optional, and the members of R.
  return Object.fromEntries(entries) as T & R;
}

function blobOf(entry: JsonObject): Blob | undefined {
  const inlineData = entry["inlineData"];
  // Only a string under `data` is read, so the other members need no check.
  return isJsonObject(inlineData) ? (inlineData as Blob) : undefined;
}

/** Whether the data is moved out of its event. */
export function isLarge(blob: Blob | undefined): boolean {
  const data = blob?.data;
  if (typeof data !== "string" || data.length < BASE64_LENGTH_LIMIT) return false;
  const padding = data.endsWith("==") ? 2 : Number(data.endsWith("="));
  return Math.floor(((data.length - padding) * 3) / 4) > MAX_INLINE_DATA_BYTES;
}
