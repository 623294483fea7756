import { createHash } from "node:crypto";
import { RESERVED_FILE_PREFIX } from "#kit/artifacts/inline-data.ts";
import { isFileName } from "#kit/code-executors/files.ts";
import type { File } from "#kit/core/code-executor.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Blob, Content, Part } from "#kit/events/content.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { sessionKey } from "#kit/sessions/session.ts";

const INPUT_FILES_KEY = "_code_executor_input_files";
const CSV = "text/csv";

/** A data file in the session's state: the bytes are in a hidden artifact, or here if there is no artifact service. */
interface KnownFile {
  readonly name: string;
  readonly mimeType: string;
  /** Digest of the base64 text, by which the file is found wherever it appears in the history. */
  readonly digest: string;
  readonly artifact?: string;
  readonly content?: string;
}

/** The data files of a message that the session does not contain yet. */
export function newDataFiles(content: Content | undefined, state: JsonObject): readonly Blob[] {
  const known = new Set(knownFiles(state).map(({ digest }) => digest));
  return (content?.parts ?? []).flatMap(({ inlineData }) =>
    isDataFile(inlineData) && !known.has(digestOf(inlineData)) ? [inlineData] : [],
  );
}

/** Saves the file for all executions of the session, and returns the file name for the code. */
export async function keepDataFile(callbacks: CallbackContext, blob: Blob): Promise<string> {
  const files = knownFiles(callbacks.readonlyState);
  const name = `data_${files.length + 1}.csv`;
  const digest = digestOf(blob);
  const { artifactService, session } = callbacks.invocationContext;
  const place = { artifact: `${RESERVED_FILE_PREFIX}code/${digest}` };
  if (artifactService !== undefined)
    await artifactService.saveArtifact({
      session: sessionKey(session),
      filename: place.artifact,
      artifact: { inlineData: blob },
    });
  const file = {
    name,
    mimeType: CSV,
    digest,
    ...(artifactService === undefined ? { content: blob.data ?? "" } : place),
  };
  callbacks.state.set(INPUT_FILES_KEY, [...files.map((known) => ({ ...known })), file]);
  return name;
}

/** The session's data files with their bytes. */
export async function inputFilesOf({ readonlyState, invocationContext }: CallbackContext): Promise<readonly File[]> {
  const { artifactService, session } = invocationContext;
  const files: File[] = [];
  for (const { name, mimeType, artifact, content } of knownFiles(readonlyState)) {
    const stored =
      artifact === undefined
        ? content
        : (await artifactService?.loadArtifact({ session: sessionKey(session), filename: artifact }))?.inlineData?.data;
    if (stored !== undefined) files.push({ name, mimeType, content: stored });
  }
  return files;
}

/** Replaces the bytes of known data files by their names: the code reads the files, the model does not need them. */
export function withoutDataFiles(contents: readonly Content[], state: JsonObject): Content[] {
  const names = new Map(knownFiles(state).map(({ digest, name }) => [digest, name]));
  if (names.size === 0) return [...contents];
  return contents.map((content) => {
    if (content.parts?.some(({ inlineData }) => isDataFile(inlineData)) !== true) return content;
    return { ...content, parts: content.parts.map((part) => nameOf(part, names)) };
  });
}

function nameOf(part: Part, names: ReadonlyMap<string, string>): Part {
  const name = isDataFile(part.inlineData) ? names.get(digestOf(part.inlineData)) : undefined;
  return name === undefined ? part : { text: `\nAvailable file: \`${name}\`\n` };
}

function isDataFile(blob: Blob | undefined): blob is Blob {
  return blob?.data !== undefined && /^(?:text|application)\/csv\b/.test(blob.mimeType ?? "");
}

function digestOf({ data = "" }: Blob): string {
  return createHash("sha256").update(data).digest("hex").slice(0, 32);
}

/** Clients can write the state: entries of another form are ignored. */
function knownFiles(state: JsonObject): readonly KnownFile[] {
  const files = state[INPUT_FILES_KEY];
  if (!Array.isArray(files)) return [];
  return files.flatMap((file) => {
    if (!isJsonObject(file)) return [];
    const { name, mimeType, digest, artifact, content } = file;
    if (typeof name !== "string" || !isFileName(name) || typeof digest !== "string") return [];
    const isOurs = typeof artifact === "string" && artifact.startsWith(RESERVED_FILE_PREFIX);
    return [
      {
        name,
        digest,
        mimeType: typeof mimeType === "string" ? mimeType : CSV,
        artifact: isOurs ? artifact : undefined,
        content: typeof content === "string" ? content : undefined,
      },
    ];
  });
}
