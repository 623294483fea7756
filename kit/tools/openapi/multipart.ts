import { createHash } from "node:crypto";
import type { BodyContent } from "./media-types.ts";

/** One part of a form. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Absent or empty: none, which means a text. */
  readonly mediaType?: string;
  /** Servers take a part with a name of a file for a file. */
  readonly filename?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A body of `multipart/form-data`. The platform's `FormData` gives each part with a type the name of a file, so that
 * servers take JSON for a file, and it has no other headers.
 */
export function writeParts(parts: readonly FormPart[]): BodyContent {
  const hash = createHash("sha256");
  for (const { name, content } of parts) hash.update(name).update(content);
  // A content cannot contain its own hash.
  const boundary = `part-${hash.digest("hex").slice(0, 40)}`;
  const written = parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n`), part.content, "\r\n"]);
  const bytes = [...written, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece));
  return { content: Buffer.concat(bytes), mediaType: `multipart/form-data; boundary=${boundary}` };
}

function headOf({ name, filename, mediaType = "", headers }: FormPart): string {
  const file = filename === undefined ? "" : `; filename="${escaped(filename)}"`;
  const others = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  const type = mediaType === "" ? "" : `Content-Type: ${mediaType}\r\n`;
  return `Content-Disposition: form-data; name="${escaped(name)}"${file}\r\n${type}${others.join("")}`;
}

/** As browsers write names. */
function escaped(name: string): string {
  return name.toWellFormed().replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");
}
