import { once } from "node:events";
import { connect } from "node:net";
import type { RawCase } from "./raw-cases.ts";

/** Time limit of an answer, and time for which a connection that was answered is watched for more answers. */
const ANSWER_MS = 3000;
const QUIET_MS = 150;
const PAUSE_MS = 2;

/**
 * The statuses of all final answers on one connection. A connection that the server closes without an answer has none.
 */
export async function sendRaw(url: URL, { parts, halfClose }: RawCase): Promise<readonly number[]> {
  const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true });
  socket.setNoDelay(true).on("error", () => {});
  let text = "";
  let quiet: NodeJS.Timeout | undefined;
  const closed = once(socket, "close");
  const limit = setTimeout(() => socket.destroy(), ANSWER_MS);
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
    clearTimeout(quiet);
    quiet = setTimeout(() => socket.destroy(), QUIET_MS);
  });
  socket.once("end", () => socket.destroy());
  await Promise.race([once(socket, "connect"), closed]);
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part, "latin1");
    if (parts.length > 1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  if (halfClose === true && !socket.destroyed) socket.end();
  await closed;
  clearTimeout(limit);
  clearTimeout(quiet);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200);
}
