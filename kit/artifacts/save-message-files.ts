import { PlatformError } from "../errors/platform-error.ts";
import type { Blob, Content, Part } from "../events/content.ts";
import type { SessionKey } from "../sessions/session.ts";
import type { ArtifactService } from "./artifact-service.ts";
import { assertClientArtifactName } from "./inline-data.ts";

export interface MessageFilesOptions {
  readonly artifactService: ArtifactService | undefined;
  readonly session: SessionKey;
  /** What a file is saved as; `user:` before it makes it the user's. */
  readonly nameFile: (file: Blob, index: number) => string;
}

export interface SavedMessage {
  readonly content: Content;
  /** Version of each file that was saved. */
  readonly artifactDelta: Readonly<Record<string, number>>;
}

/**
 * The message with a note in place of each file, which is an artifact now; undefined when it holds no file. The message given stays as
 * it is. Throws `SERVICE_MISSING` without an artifact service, and `INVALID_IDENTIFIER` for a name that cannot be one.
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
