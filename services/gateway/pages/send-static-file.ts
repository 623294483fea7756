import type { FastifyReply, FastifyRequest } from "fastify";
import { ASSET_HEADERS } from "./security-headers.ts";
import type { StaticFile } from "./static-files.ts";

/** Sends the file, or 304 to a client that has it already. */
export async function sendStaticFile(
  file: StaticFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ ...ASSET_HEADERS, etag: file.etag, "cache-control": file.cacheControl, vary: "accept-encoding" });
  if (headers["if-none-match"] === file.etag) return reply.code(304).send();
  const { bytes, encoding } = await file.read(headers["accept-encoding"]);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.contentType).send(bytes);
}
