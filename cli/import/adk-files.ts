import { type Dirent, readdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Part } from "#kit/events/content.ts";
import { isAbsent } from "#kit/platform/file-errors.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import { parseObject } from "./adk-events.ts";
import type { SourceItem, SourceLimits } from "./session-source.ts";

const VERSIONS = "versions";
const METADATA = "metadata.json";
const MAX_METADATA_BYTES = 1024 * 1024;

/**
 * The files that ADK's file store has of a session, and of its user: `apps/{app}/users/{user}` in adk-python, and
 * `users/{user}` in ADK for JavaScript. Below are `artifacts` and `sessions/{session}/artifacts`, in them a folder for
 * each file with `versions/{number}`, and in that its content and `metadata.json`.
 */
export async function* adkFilesOf(
  root: string,
  { session, withUser }: { readonly session: SessionKey; readonly withUser: boolean },
  limits: SourceLimits,
): AsyncGenerator<SourceItem> {
  const { appName, userId, id } = session;
  // ADK refuses such names too.
  if (![appName, userId].every(isSegment)) return;
  for (const user of [join(root, "apps", appName, "users", userId), join(root, "users", userId)]) {
    if (isSegment(id)) yield* filesIn({ folder: join(user, "sessions", id, "artifacts"), session, prefix: "" }, limits);
    if (withUser) yield* filesIn({ folder: join(user, "artifacts"), session, prefix: USER_FILE_PREFIX }, limits);
  }
}

interface FilesIn {
  readonly folder: string;
  readonly session: SessionKey;
  readonly prefix: string;
}

async function* filesIn({ folder, session, prefix }: FilesIn, limits: SourceLimits): AsyncGenerator<SourceItem> {
  for (const file of foldersOfFiles(folder)) {
    const versions = entriesOf(join(file, VERSIONS))
      .filter((entry) => entry.isDirectory() && /^\d{1,9}$/.test(entry.name))
      .map(({ name }) => Number(name))
      .sort((one, other) => one - other);
    const fallback = prefix + relative(folder, file).split(sep).join("/");
    for (const version of versions) {
      const path = join(file, VERSIONS, String(version));
      try {
        const { metadata, artifact } = await readVersion(path, basename(file), limits);
        const { file_name: snake, fileName = snake, custom_metadata: also, customMetadata = also } = metadata;
        const filename = withPrefix(typeof fileName === "string" && fileName !== "" ? fileName : fallback, prefix);
        const custom = isJsonObject(customMetadata) ? customMetadata : undefined;
        yield { kind: "file", session, filename, version, artifact, customMetadata: custom };
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error;
        yield { kind: "problem", place: path, reason: error.message };
      }
    }
  }
}

/** A file of the user is saved with the prefix, or without a session. */
function withPrefix(filename: string, prefix: string): string {
  return filename.startsWith(prefix) ? filename : prefix + filename;
}

async function readVersion(path: string, name: string, limits: SourceLimits) {
  const metadata = parseObject((await readBounded(join(path, METADATA), MAX_METADATA_BYTES)).toString("utf8"), limits);
  return { metadata, artifact: await partOf(path, { name, metadata }, limits) };
}

async function partOf(
  path: string,
  { name, metadata }: { readonly name: string; readonly metadata: JsonObject },
  { maxSessionBytes }: SourceLimits,
): Promise<Part> {
  const { mime_type: snake, mimeType = snake, fileUri, display_name: shown, displayName = shown } = metadata;
  const type = typeof mimeType === "string" ? mimeType : undefined;
  if (typeof fileUri === "string") return { fileData: { fileUri, mimeType: type } };
  const bytes = await readBounded(join(path, name), maxSessionBytes);
  if (type === undefined) return { text: bytes.toString("utf8") };
  const named = typeof displayName === "string" ? { displayName } : {};
  return { inlineData: { mimeType: type, data: bytes.toString("base64"), ...named } };
}

async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw new PlatformError("BODY_TOO_LARGE", `It has ${size} bytes, over ${maxBytes}.`);
    return await readFile(path);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError("ARTIFACT_NOT_FOUND", `${basename(path)} cannot be read.`, { cause: error });
  }
}

/** The folders that have versions, at any depth: the name of a file can contain slashes. */
function* foldersOfFiles(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    if (entry.name === VERSIONS) continue;
    if (entriesOf(path).some((child) => child.isDirectory() && child.name === VERSIONS)) yield path;
    yield* foldersOfFiles(path);
  }
}

/** In the order of their names; nothing if there is no such folder. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

/** Whether the name is one part of a path. */
function isSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}
