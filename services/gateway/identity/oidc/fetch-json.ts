import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";

const TIMEOUT_MS = 5000;
const MAX_BYTES = 512 * 1024;

/** A JSON object of an identity provider. Throws for anything else, for redirects, and for answers that are late or large. */
export async function fetchJson(url: string): Promise<JsonObject> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await textOf(response);
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}.`);
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error(`${url} answers no JSON object.`);
  return value;
}

async function textOf({ body, url }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) throw new Error(`${url} answers more than ${MAX_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
