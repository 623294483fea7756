import { ERROR_CODES, type ErrorCode } from "#kit/errors/codes.ts";
import { ERROR_REASONS } from "#kit/errors/reasons.ts";

const HEAD = `# Errors

For everybody who gets an error: look up what its reason means.

Every failed request answers with one JSON body:

| member | meaning |
| --- | --- |
| \`detail\`, \`error\`, \`message\` | what went wrong and what to do; the same text three times, because clients of this protocol read different members. With status 422, \`detail\` is the list of problems |
| \`reason\` | the stable name from the table below: what programs should switch on |
| \`code\` | the canonical code of the reason's class |
| \`status\`, \`path\` | the HTTP status and the path of the request |
| \`details\` | facts for programs, such as ids and limits |
| \`requestId\` | the id under which the server's log has more |

A request that failed with a code marked "yes" under *repeat* may be sent again unchanged, after a pause.

| reason | status | code | repeat | meaning |
| --- | --- | --- | --- | --- |
`;

/** The reference of all reasons, made from the table that the code uses. */
export function errorsPage(): string {
  const entries: readonly (readonly [string, { code: ErrorCode; http?: number; meaning: string }])[] =
    Object.entries(ERROR_REASONS);
  const rows = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([reason, { code, http, meaning }]) => {
      const { http: status, retryable } = ERROR_CODES[code];
      return `| \`${reason}\` | ${http ?? status} | ${code} | ${retryable ? "yes" : "no"} | ${escapeCell(meaning)} |`;
    });
  return `${HEAD}${rows.join("\n")}\n`;
}

function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
