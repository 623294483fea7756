import { CRC32C } from "@google-cloud/storage";
import { googleError, type RestAnswer, type RestFake, startRest } from "./google-rest.ts";

export interface StorageFake extends RestFake {
  /** Contents by the names of their objects. */
  readonly objects: ReadonlyMap<string, Buffer>;
}

/**
 * Cloud Storage as far as uploads in one request go: takes the parts of the request apart, and answers with the check
 * sum of what it got, which the client compares. `status` refuses all of them; with 0 none is answered.
 */
export async function startStorage(status = 200): Promise<StorageFake> {
  const objects = new Map<string, Buffer>();
  const server = await startRest(({ method, path, raw }, headers): RestAnswer => {
    if (status === 0) return { isSilent: true };
    if (status !== 200) return googleError(status, "refused");
    const { pathname, searchParams } = new URL(path, "http://storage");
    const [, bucket] = /^\/upload\/storage\/v1\/b\/([^/]+)\/o$/.exec(pathname) ?? [];
    const [, boundary] = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "") ?? [];
    const name = searchParams.get("name");
    if (method !== "POST" || bucket === undefined || boundary === undefined || name === null)
      return googleError(400, `unknown request ${method} ${path}`);
    const data = secondPart(raw, boundary);
    if (data === undefined) return googleError(400, "not two parts");
    objects.set(name, data);
    const sum = new CRC32C();
    sum.update(data);
    return { body: { name, bucket, crc32c: sum.toString(), size: String(data.length) } };
  });
  return { ...server, objects };
}

/** The second part of a body of the type `multipart/related`: its first one describes the object. */
function secondPart(raw: Buffer, boundary: string): Buffer | undefined {
  const border = Buffer.from(`--${boundary}`);
  const start = raw.indexOf(border, border.length);
  const end = raw.lastIndexOf(Buffer.from(`\r\n--${boundary}--`));
  const data = raw.indexOf("\r\n\r\n", start);
  return start < 0 || end < 0 || data < 0 ? undefined : raw.subarray(data + 4, end);
}
