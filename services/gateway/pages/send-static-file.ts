import type { IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ASSET_HEADERS } from "./security-headers.ts";
import { createStaticFile, listStaticFiles, type StaticFile } from "./static-files.ts";

/** Sends the file, or 304 to a client that has it already. */
export async function sendStaticFile(
  file: StaticFile,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({ ...ASSET_HEADERS, etag: file.etag, "cache-control": file.cacheControl, vary: "accept-encoding" });
  if (hasCopy(headers, file.etag)) return reply.code(304).send();
  const { bytes, encoding } = await file.read(headers["accept-encoding"]);
  if (encoding !== undefined) reply.header("content-encoding", encoding);
  return reply.type(file.contentType).send(bytes);
}

/** Whether the client has this version of the answer. Weak and strong tags are compared alike (RFC 9110, 13.1.2). */
export function hasCopy({ "if-none-match": given = "" }: IncomingHttpHeaders, etag: string): boolean {
  const tags = given.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag.replace(/^W\//, ""));
}

/**
 * Redirects a page's address with a slash at its end to the one without. The location is relative, so that it is right
 * below every prefix.
 */
export function redirectSlash(page: string, { url }: Pick<FastifyRequest, "url">, reply: FastifyReply): FastifyReply {
  const query = url.indexOf("?");
  return reply.redirect(`../${page}${query < 0 ? "" : url.slice(query)}`, 302);
}

const FOLDER = fileURLToPath(new URL("../docs-page/", import.meta.url));

/** Swagger UI's own files. This package has them without one that reports its installation to another host. */
const SWAGGER_UI = ["swagger-ui.css", "swagger-ui-bundle.js"] as const;

/** The files of the page that shows the API, by name. Its page is `index.html`. */
export function docsFiles(): ReadonlyMap<string, StaticFile> {
  const packages = createRequire(import.meta.url);
  const ui = SWAGGER_UI.map(
    (name) => [name, createStaticFile(packages.resolve(`@fastify/swagger-ui/static/${name}`))] as const,
  );
  return new Map([...ui, ...listStaticFiles(FOLDER)]);
}
