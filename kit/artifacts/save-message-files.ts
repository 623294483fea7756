import { PlatformError } from "../errors/platform-error.ts";
import type { Blob, Content, Part } from "../events/content.ts";
import type { SessionKey } from "../sessions/session.ts";
import type { ArtifactService } from "./artifact-service.ts";
import { assertClientArtifactName } from "./inline-data.ts";

export interface MessageFilesOptions {
  readonly artifactService: ArtifactService | undefined;
  readonly session: SessionKey;
  /** The name that a file is saved under; the prefix `user:` makes it a file of the user. */
  readonly nameFile: (file: Blob, index: number) => string;
}

export interface SavedMessage {
  readonly content: Content;
  /** Version of each file that was saved. */
  readonly artifactDelta: Readonly<Record<string, number>>;
}

/**
 * Saves the files of a message as artifacts. Returns the message with a note in place of each file, or undefined if it
 * holds no file; the given message is not changed. Throws `SERVICE_MISSING` without an artifact service, and
 * `INVALID_IDENTIFIER` for an invalid name.
 */
export async function saveMessageFiles(
  message: Content,
  { artifactService, session, nameFile }: MessageFilesOptions,
): Promise<SavedMessage | undefined> {
  const given = message.parts ?? [];
  if (!given.some(({ inlineData }) => inlineData !== undefined)) return undefined;
  if (artifactService === undefined) {
    throw new PlatformError("SERVICE_MISSING", "Saving files needs an artifact service: pass one to the runner.");
  }
  const parts: Part[] = [];
  const artifactDelta: Record<string, number> = {};
  for (const [index, part] of given.entries()) {
    if (part.inlineData === undefined) {
      parts.push(part);
      continue;
    }
    const filename = nameFile(part.inlineData, index);
    assertClientArtifactName(filename);
    const { version } = await artifactService.saveArtifact({ session, filename, artifact: part });
    artifactDelta[filename] = version;
    parts.push({ text: `[The user sent a file; it is the artifact "${filename}".]` });
  }
  return { content: { ...message, parts }, artifactDelta };
}
