import type { FileHandle } from "node:fs/promises";
import { isJsonObject } from "#kit/platform/json.ts";
import type { ChainHead } from "#ports/audit/audit-chain.ts";
import { headFilePath } from "./audit-file-names.ts";
import { readIfPresent } from "./durable-files.ts";

/** All heads are padded to this length, so that a new head overwrites the old one completely. */
const LENGTH = 512;

/**
 * The last record that is durable, as the file next to the log names it; undefined if that file is missing or broken.
 * It is written after the records and never before, so a log that ends earlier was truncated.
 */
export async function readHead(path: string): Promise<ChainHead | undefined> {
  const bytes = await readIfPresent(headFilePath(path));
  const value = bytes === undefined ? undefined : parse(bytes.toString("utf8"));
  if (!isJsonObject(value)) return undefined;
  const { chain, seq, sha256 } = value;
  if (typeof chain !== "string" || typeof seq !== "number" || typeof sha256 !== "string") return undefined;
  return { chain, seq, sha256 };
}

/** Not flushed: after a power loss the file may name an earlier record. */
export async function writeHead(file: FileHandle, { chain, seq, sha256 }: ChainHead): Promise<void> {
  const json = JSON.stringify({ chain, seq, sha256 });
  await file.write(`${json.padEnd(LENGTH - 1)}\n`, 0);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
