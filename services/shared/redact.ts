/** Fields that never reach a log, at the top of a line and one level below. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "apiKey",
  "api_key",
  "accessToken",
  "credentials",
];

export const REDACTED = "[redacted]";

export const SECRET_PATHS: readonly string[] = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]).concat(
  'headers["x-api-key"]',
  "headers.authorization",
  "headers.cookie",
  "*.headers.authorization",
  "*.headers.cookie",
);

/** Credentials as they turn up inside error texts: in headers, in queries, and by the shape of well-known keys. */
const SECRET_TEXTS: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/([?&](?:key|api[_-]?key|access_token|token|secret)=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/(\/\/[^/\s:@]+:)[^/\s@]+@/g, `$1${REDACTED}@`],
  [/\bsk-[\w-]{16,}/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
];

export function redactText(text: string): string {
  return SECRET_TEXTS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}
