import { hash } from "node:crypto";
import { canonicalJson, isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import type { AuditEvent } from "./audit-event.ts";

/** The last record of a chain, to which the next one refers. */
export interface ChainHead {
  readonly chain: string;
  /** The last record's number; 0 for a chain without records. */
  readonly seq: number;
  readonly sha256: string;
}

/** A record with its number, its text and the SHA-256 of it. It is the head of its chain until the next one. */
export interface SealedRecord extends ChainHead {
  /** Canonical JSON without a line break. */
  readonly line: string;
}

/** A record as read from a log. What it states is not verified yet. */
export interface StatedRecord extends SealedRecord {
  readonly previous: string;
  readonly event: JsonObject;
}

/** The number of the record format, and how each line begins. */
const FORMAT = 1;
export const RECORD_START = `{"audit":${FORMAT},`;

export const EMPTY_SHA256 = "0".repeat(64);

export function emptyChain(chain: string): ChainHead {
  return { chain, seq: 0, sha256: EMPTY_SHA256 };
}

/**
 * Adds an event to the chain. A record has the digest of the record before it, and ends with its own: the SHA-256 of
 * all of its bytes before that member, closed by a brace.
 */
export function sealRecord(head: ChainHead, event: AuditEvent): SealedRecord {
  const { chain } = head;
  const seq = head.seq + 1;
  // Events have members of JSON only, and members that are undefined are left out of the text.
  const json = event as unknown as JsonObject;
  const unsealed = canonicalJson({ audit: FORMAT, chain, event: json, previous: head.sha256, seq });
  const sha256 = hash("sha256", unsealed);
  // "sha256" sorts after the other members, so that the whole line is canonical.
  return { chain, seq, sha256, line: `${unsealed.slice(0, -1)}${sealOf(sha256)}` };
}

/** The record in a line; undefined if the line contains no record. */
export function readRecord(line: string): StatedRecord | undefined {
  const value = parse(line);
  if (!isJsonObject(value) || value["audit"] !== FORMAT) return undefined;
  const { chain, seq, sha256, previous, event } = value;
  if (typeof chain !== "string" || typeof sha256 !== "string" || typeof previous !== "string") return undefined;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1 || !isJsonObject(event)) return undefined;
  return { chain, seq, sha256, previous, event, line };
}

/** Whether the record's text is the one that was sealed. */
export function isIntact({ line, sha256 }: SealedRecord): boolean {
  const seal = sealOf(sha256);
  return line.endsWith(seal) && hash("sha256", `${line.slice(0, -seal.length)}}`) === sha256;
}

function sealOf(sha256: string): string {
  return `,"sha256":"${sha256}"}`;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
