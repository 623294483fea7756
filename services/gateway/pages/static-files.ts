import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { lazy } from "#kit/platform/lazy.ts";

/** A file ready to send. */
export interface StaticFile {
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
  /** Compressed if the client accepts gzip and the result is smaller. */
  read(acceptEncoding: string | undefined): Promise<{ readonly bytes: Buffer; readonly encoding?: "gzip" }>;
}

/**
 * The files below a folder, by their relative URL path. The list is created once and only listed files are served, so
 * no path of a client reaches the file system. Hidden files are left out.
 */
export function listStaticFiles(directory: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || entry.name.startsWith(".")) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(directory.length).split(sep).filter(Boolean).join("/"), createStaticFile(path));
  }
  return files;
}

export function createStaticFile(path: string): StaticFile {
  const { size, mtimeMs } = statSync(path);
  const isText = COMPRESSIBLE.test(path);
  const compressed = lazy(async () => gzipBytes(await readFile(path)));
  return {
    contentType: CONTENT_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    cacheControl: HASHED_NAME.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
    etag: `"${size.toString(16)}-${Math.trunc(mtimeMs).toString(16)}"`,
    async read(acceptEncoding) {
      if (!isText || size < SMALLEST_COMPRESSED_BYTES || !/\bgzip\b/.test(acceptEncoding ?? ""))
        return { bytes: await readFile(path) };
      return { bytes: await compressed(), encoding: "gzip" };
    },
  };
}

const gzipBytes = promisify<Buffer, Buffer>(gzip);
const SMALLEST_COMPRESSED_BYTES = 1024;
const COMPRESSIBLE = /\.(?:css|html|js|json|map|mjs|svg|txt|wasm)$/i;

/** `main-56POKOKQ.js`: the name changes whenever the content does. */
const HASHED_NAME = /-[A-Z0-9]{8}\.(?:css|js|mjs|wasm|woff2?)$/;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webp": "image/webp",
  ".woff": "font/woff",
  ".woff2": "font/woff2",
};
