import { fromHeaderDate } from "../platform/iso-time.ts";
import { isJsonObject } from "../platform/json.ts";

/** What a provider's failure says about the next attempt. */
export interface RetryHintSource {
  readonly headers: Headers | undefined;
  /** The provider's error object. */
  readonly body: unknown;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const SECOND_MS = 1000;
const MAX_TEXT_CHARACTERS = 2000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: 60 * SECOND_MS, h: 3600 * SECOND_MS };

/**
 * Milliseconds that the provider asks to wait: by its headers, by the details of its error, or by its text. Undefined if
 * it asks for nothing.
 */
export function retryHint({ headers, body, message, now }: RetryHintSource): number | undefined {
  const hint =
    numberOf(headers?.get("retry-after-ms")) ??
    afterOf(headers?.get("retry-after"), serverTime(headers) ?? now) ??
    detailOf(body) ??
    textHint(message) ??
    resetOf(headers, serverTime(headers) ?? now);
  return hint === undefined ? undefined : Math.max(0, Math.ceil(hint));
}

/** Seconds, or a date of HTTP. */
function afterOf(value: string | null | undefined, now: number): number | undefined {
  const seconds = numberOf(value);
  return seconds === undefined ? untilDate(value, now) : seconds * SECOND_MS;
}

/** The provider's own time, because its clock and this one's may differ. */
function serverTime(headers: Headers | undefined): number | undefined {
  return fromHeaderDate(headers?.get("date") ?? "");
}

/** Google's detail RetryInfo, such as `{"retryDelay": "17s"}`, and the member that other servers have. */
function detailOf(body: unknown): number | undefined {
  if (!isJsonObject(body)) return undefined;
  const { details, retry_after: after, retry_after_ms: afterMs } = body;
  const info = Array.isArray(details)
    ? details.find((detail) => isJsonObject(detail) && "retryDelay" in detail)
    : undefined;
  if (isJsonObject(info) && typeof info["retryDelay"] === "string") return durationOf(info["retryDelay"]);
  if (typeof afterMs === "number") return afterMs;
  return typeof after === "number" ? after * SECOND_MS : undefined;
}

/** As in "Please try again in 1m2.5s", "Please retry in 36.3s" and "retry after 30 seconds". */
function textHint(message: string): number | undefined {
  const found =
    /(?:try again|retry|wait)\s+(?:in|after|for)\s+((?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|seconds?|minutes?|hours?|s|m|h)\s?)+)/i.exec(
      message.slice(0, MAX_TEXT_CHARACTERS),
    );
  return durationOf(found?.[1]);
}

/** When the limit that is used up is reset: a duration as OpenAI has it, or a date as Anthropic has it. */
function resetOf(headers: Headers | undefined, now: number): number | undefined {
  const waits: number[] = [];
  for (const [name, value] of headers ?? []) {
    const limit = /^((?:x|anthropic)-ratelimit-)(?:remaining-(.*)|(.*)-remaining)$/.exec(name);
    if (limit === null || Number(value) !== 0) continue;
    const [, prefix, behind, before] = limit;
    const reset = headers?.get(behind === undefined ? `${prefix}${before}-reset` : `${prefix}reset-${behind}`);
    const wait = durationOf(reset ?? undefined) ?? untilDate(reset, now);
    if (wait !== undefined) waits.push(wait);
  }
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function untilDate(value: string | null | undefined, now: number): number | undefined {
  const date = fromHeaderDate(value ?? "");
  return date === undefined ? undefined : date - now;
}

/** The milliseconds of texts such as `20s`, `6m0s`, `350ms` and `30 seconds`; undefined for others. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\s*\d+(\.\d+)?\s?[a-z]+)+\s*$/i.test(text)) return undefined;
  let total = 0;
  for (const [, count = "", unit = ""] of text.matchAll(/\s*(\d+(?:\.\d+)?)\s?([a-z]+)/giy)) {
    const name = unit.toLowerCase();
    const factor = name.startsWith("milli") ? 1 : (UNITS[name] ?? UNITS[name.charAt(0)]);
    if (factor === undefined) return undefined;
    total += Number(count) * factor;
  }
  return total;
}

function numberOf(value: string | null | undefined): number | undefined {
  return value !== null && value !== undefined && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
