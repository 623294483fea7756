import { UsageError } from "./parse-arguments.ts";

/** The server that commands call if nothing names another one. */
export const DEFAULT_URL = "http://127.0.0.1:8000";

/** The value of `--url`. Throws `UsageError` for what is not an address of a server. */
export function readUrl(url: string | boolean): string {
  if (typeof url === "string" && /^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new UsageError(`--url needs an address such as ${DEFAULT_URL}.`);
}
