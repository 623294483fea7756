import { readFile } from "node:fs/promises";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { dateOf } from "#kit/platform/iso-time.ts";
import type { S3Credentials } from "./create-s3-artifact-service.ts";

export interface KeyFiles {
  readonly accessKeyIdFile: string;
  readonly secretAccessKeyFile: string;
  /** The names of their settings, for errors. */
  readonly settings: readonly [string, string];
}

/** The SDK asks again five minutes before this time, so that files with new keys are read within five minutes. */
const VALID_MS = 10 * 60_000;

/**
 * The keys in two files; undefined if none is named. Throws `CONFIGURATION` if only one is. A file that cannot be read
 * fails the call that needs it, with `STORE_UNAVAILABLE`.
 */
export function credentialsOfFiles(
  { accessKeyIdFile, secretAccessKeyFile, settings }: KeyFiles,
  clock: Clock,
): (() => Promise<S3Credentials>) | undefined {
  if (accessKeyIdFile === "" && secretAccessKeyFile === "") return undefined;
  if (accessKeyIdFile === "" || secretAccessKeyFile === "")
    throw new PlatformError("CONFIGURATION", `${settings.join(" and ")} belong together: set both or none.`);
  return async () => {
    const [accessKeyId, secretAccessKey] = await Promise.all([accessKeyIdFile, secretAccessKeyFile].map(readKey));
    if (!accessKeyId || !secretAccessKey) throw unreadable("A file with keys of the artifact store is empty.");
    return { accessKeyId, secretAccessKey, expiration: dateOf(clock.now() + VALID_MS) };
  };
}

async function readKey(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    throw unreadable("A file with keys of the artifact store cannot be read.", error);
  }
}

function unreadable(message: string, cause?: unknown): PlatformError {
  return new PlatformError("STORE_UNAVAILABLE", `${message} The operator must write it.`, { cause });
}
