import { PlatformError } from "#kit/errors/platform-error.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { GoogleCredentials } from "./google-credentials.ts";

/** How a Google interface is called. */
export interface GoogleApi {
  readonly fetch: typeof fetch;
  readonly credentials: GoogleCredentials;
}

const MAX_ERROR_CHARACTERS = 500;

/**
 * One call, whose answer is an object; with a body a POST. A token that is refused is renewed once. Throws
 * `INVALID_FIELD` for the status 400 and 404, `INTEGRATION_DENIED` for 401 and 403, and `INTEGRATION_FAILED` for others
 * and for an answer that is not an object.
 */
export async function callGoogleApi(api: GoogleApi, url: string, body?: JsonObject): Promise<JsonObject> {
  let response = await send(api, url, body);
  if (response.status === 401 && api.credentials.forget !== undefined) {
    await response.body?.cancel();
    api.credentials.forget();
    response = await send(api, url, body);
  }
  const text = await response.text();
  if (!response.ok) throw failure(url, response.status, text);
  const answer = parsed(text);
  if (isJsonObject(answer)) return answer;
  throw new PlatformError("INTEGRATION_FAILED", `The answer of ${new URL(url).host} is not a JSON object.`);
}

async function send(api: GoogleApi, url: string, body: JsonObject | undefined): Promise<Response> {
  const headers = { ...(await api.credentials.getRequestHeaders()), "content-type": "application/json" };
  return api.fetch(url, body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) });
}

function failure(url: string, status: number, text: string): PlatformError {
  const { host, pathname } = new URL(url);
  const said = messageOf(text).slice(0, MAX_ERROR_CHARACTERS);
  const problem = `${host} answered ${pathname} with HTTP status ${status}: ${said}`;
  if (status === 400 || status === 404)
    return new PlatformError("INVALID_FIELD", `Check the names of the project, its location and resource. ${problem}`);
  if (status === 401 || status === 403)
    return new PlatformError("INTEGRATION_DENIED", `The credentials may not do this. ${problem}`);
  return new PlatformError("INTEGRATION_FAILED", problem);
}

/** Google's errors have the form `{"error": {"message": …}}`. */
function messageOf(text: string): string {
  const answer = parsed(text);
  const error = isJsonObject(answer) ? answer["error"] : undefined;
  const message = isJsonObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports an answer that is not JSON.
    return undefined;
  }
}
