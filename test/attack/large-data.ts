/** Large answers of every kind, stored through the API as any client could. */

const MEBIBYTE = 1024 * 1024;
const USER = "/apps/weather/users/reader";

export const LARGE = {
  /** Two messages with a file of 20 MiB each. */
  files: `${USER}/sessions/files`,
  /** Twenty messages of a million characters. */
  text: `${USER}/sessions/text`,
  /** One file of 20 MiB. */
  artifact: `${USER}/sessions/files/artifacts/large.bin`,
  /** 150 sessions, whose user's state has 250 KB. */
  list: "/apps/weather/users/lister/sessions",
  /** 120 versions with 60 KB of metadata each. */
  versions: `${USER}/sessions/files/artifacts/small.txt/versions/metadata`,
} as const;

export const FILE_BYTES = 20 * MEBIBYTE;
export const LISTED_SESSIONS = 150;
export const STORED_VERSIONS = 120;
const SHARED_STATE_CHARACTERS = 250_000;

/** Routes whose answers have more than 64 KB, streams and replays included. */
export const LARGE_ROUTES: readonly string[] = [
  LARGE.files,
  LARGE.text,
  LARGE.artifact,
  LARGE.list,
  `${LARGE.list}?pageSize=200`,
  LARGE.versions,
  `/v1${LARGE.files}/stream?after=0`,
  `/v1${LARGE.text}/stream?after=0`,
];

export async function storeLargeData(url: URL): Promise<readonly string[]> {
  const send = (path: string, body: unknown, method = "POST") => sendJson(new URL(path, url), body, method);
  const file = Buffer.alloc(FILE_BYTES, "fairlead").toString("base64");
  await send(LARGE.files, {});
  await send(LARGE.text, {});
  const runs: string[] = [];
  for (let message = 0; message < 2; message += 1)
    runs.push(await runOnce(url, "files", { inlineData: { mimeType: "image/png", data: file } }));
  for (let message = 0; message < 20; message += 1)
    runs.push(await runOnce(url, "text", { text: `${message} ${"text ".repeat(200_000)}` }));
  const artifacts = `${LARGE.files}/artifacts`;
  const inlineData = { mimeType: "application/octet-stream", data: file };
  await send(artifacts, { filename: "large.bin", artifact: { inlineData } });
  const note = "metadata ".repeat(6_600);
  for (let version = 0; version < STORED_VERSIONS; version += 1) {
    const artifact = { text: `version ${version}` };
    await send(artifacts, { filename: "small.txt", artifact, customMetadata: { note } });
  }
  for (let session = 0; session < LISTED_SESSIONS; session += 1) await send(`${LARGE.list}/s-${session}`, {});
  await send(`${LARGE.list}/s-0`, { stateDelta: { "user:notes": "n".repeat(SHARED_STATE_CHARACTERS) } }, "PATCH");
  return [...LARGE_ROUTES, ...[runs[0], runs[1]].map((run) => `/v1/runs/${run}/stream`)];
}

async function runOnce(url: URL, sessionId: string, part: object): Promise<string> {
  const body = { appName: "weather", userId: "reader", sessionId, newMessage: { role: "user", parts: [part] } };
  const answer = await fetch(new URL("/run_sse", url), request(body, "POST"));
  await answer.text();
  return answer.headers.get("x-run-id") ?? "";
}

async function sendJson(url: URL, body: unknown, method: string): Promise<void> {
  const answer = await fetch(url, request(body, method));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url.pathname} is answered ${answer.status}: ${text.slice(0, 500)}`);
}

function request(body: unknown, method: string): RequestInit {
  return { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
