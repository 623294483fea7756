import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Content } from "#kit/events/content.ts";
import { type AllowedHosts, readAllowedHosts } from "#kit/outbound-http/allowed-hosts.ts";

/** Files in Cloud Storage, and large files of messages, which are kept as artifacts. */
const SCHEMES: ReadonlySet<string> = new Set(["gs:", "fairlead-inline:"]);
/** Files that a user has uploaded to the Gemini API. */
const GEMINI_HOST = "generativelanguage.googleapis.com";

/**
 * Checks the addresses of files in a message. The model's provider fetches a file from its address, so that a message
 * could make it call any host. Throws `CONFIGURATION` for a wrong entry of the hosts.
 */
export class FileUriCheck {
  readonly #hosts: AllowedHosts;

  constructor(hosts: readonly string[] = []) {
    this.#hosts = readAllowedHosts([GEMINI_HOST, ...hosts], "FILE_URI_HOSTS");
  }

  /** Throws `INVALID_MESSAGE`, which names the part. */
  check({ parts = [] }: Content): void {
    for (const [index, { fileData }] of parts.entries()) {
      const uri = fileData?.fileUri;
      if (uri === undefined || uri === "" || this.#isAllowed(uri)) continue;
      throw new PlatformError(
        "INVALID_MESSAGE",
        `newMessage.parts.${index}.fileData.fileUri has an address that models may not fetch: give a gs:// address, a host of FILE_URI_HOSTS, or the file itself as inlineData.`,
        { details: { field: `newMessage.parts.${index}.fileData.fileUri` } },
      );
    }
  }

  #isAllowed(uri: string): boolean {
    const url = typeof uri === "string" ? URL.parse(uri) : null;
    if (url === null) return false;
    if (SCHEMES.has(url.protocol)) return true;
    const isWeb = url.protocol === "https:" || url.protocol === "http:";
    return isWeb && url.username === "" && url.password === "" && this.#hosts.includes(url);
  }
}
