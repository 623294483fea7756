import { trimEndOf } from "../platform/trim-end.ts";

/**
 * The text in the standard alphabet with padding, or undefined if it is not base64. Input may be in the URL-safe
 * alphabet or without padding.
 */
export function toStandardBase64(text: string): string | undefined {
  if (!BASE64.test(text)) return undefined;
  const standard = /[-_]/.test(text) ? text.replaceAll("-", "+").replaceAll("_", "/") : text;
  if (standard.length % 4 === 0) return standard;
  const bare = trimEndOf(standard, "=");
  return bare.length % 4 === 1 ? undefined : bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
