/** A raw case: parts that are written to the socket, with pauses of some milliseconds between them. */
export interface RawCase {
  readonly name: string;
  readonly parts: readonly string[];
  /** The largest number of answers: more means that a part of a body was read as a request. */
  readonly maxAnswers: number;
  /** Whether each answer has to refuse the request. */
  readonly isRefused?: boolean;
  /** Ends the writing half of the socket after the last part. */
  readonly halfClose?: boolean;
}

const HOST = "Host: 127.0.0.1\r\n";
const GET = `GET /list-apps HTTP/1.1\r\n${HOST}\r\n`;
const SMUGGLED = "GET /health HTTP/1.1\r\nHost: smuggled\r\n\r\n";
const POST = `POST /run HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;

/** Requests that no client library sends. */
export const RAW_CASES: readonly RawCase[] = [
  {
    name: "Content-Length and Transfer-Encoding together",
    parts: [`${POST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${SMUGGLED}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "two Content-Lengths",
    parts: [`${POST}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${SMUGGLED}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a Content-Length with a sign",
    parts: [`${POST}Content-Length: +2\r\n\r\n{}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a negative Content-Length",
    parts: [`${POST}Content-Length: -1\r\n\r\n{}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a Content-Length beyond any number",
    parts: [`${POST}Content-Length: 99999999999999999999999\r\n\r\n{}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "an unknown Transfer-Encoding",
    parts: [`${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a chunk size that is not a number",
    parts: [`${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a chunk that is longer than its size",
    parts: [`${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{}{}{}\r\n0\r\n\r\n${SMUGGLED}`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a huge chunk extension",
    parts: [`${POST}Transfer-Encoding: chunked\r\n\r\n2;${"a".repeat(100_000)}\r\n{}\r\n0\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "huge trailers",
    parts: [`${POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${`X: ${"a".repeat(1000)}\r\n`.repeat(100)}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "two Host headers",
    parts: [`GET /list-apps HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  { name: "no Host header", parts: ["GET /list-apps HTTP/1.1\r\n\r\n"], maxAnswers: 1, isRefused: true },
  {
    name: "headers of 100 KB",
    parts: [`GET /list-apps HTTP/1.1\r\n${HOST}X-Long: ${"a".repeat(100_000)}\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "ten thousand headers",
    parts: [
      `GET /list-apps HTTP/1.1\r\n${HOST}${Array.from({ length: 10_000 }, (_, n) => `X${n}: a\r\n`).join("")}\r\n`,
    ],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a target of 100 KB",
    parts: [`GET /${"a".repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a target of slashes",
    parts: [`GET ${"/".repeat(15_000)}x HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a broken percent-encoding",
    parts: [`GET /apps/%zz/users/%/sessions HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a path that climbs",
    parts: [`GET /dev-ui/../../../etc/passwd HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a target with a NUL",
    parts: [`GET /list-apps\u0000 HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a target as a proxy gets it",
    parts: [`GET http://evil.example/list-apps HTTP/1.1\r\n${HOST}\r\n`],
    maxAnswers: 1,
  },
  { name: "CONNECT", parts: [`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HOST}\r\n`], maxAnswers: 1, isRefused: true },
  { name: "an unknown method", parts: [`BREW /list-apps HTTP/1.1\r\n${HOST}\r\n`], maxAnswers: 1, isRefused: true },
  { name: "an unknown version", parts: [`GET /list-apps HTTP/9.9\r\n${HOST}\r\n`], maxAnswers: 1, isRefused: true },
  { name: "a folded header", parts: [`GET /list-apps HTTP/1.1\r\n${HOST}X-A: b\r\n c\r\n\r\n`], maxAnswers: 1 },
  {
    name: "a header with a bare line feed",
    parts: [`GET /list-apps HTTP/1.1\r\n${HOST}X-A: b\nX-B: c\r\n\r\n`],
    maxAnswers: 1,
  },
  {
    name: "a space in front of a header's colon",
    parts: [`GET /list-apps HTTP/1.1\r\n${HOST}X-A : b\r\n\r\n`],
    maxAnswers: 1,
    isRefused: true,
  },
  { name: "no HTTP at all", parts: ["\u0016\u0003\u0001\u0002\u0000\u0001\u0000"], maxAnswers: 1, isRefused: true },
  { name: "a preface of HTTP/2", parts: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], maxAnswers: 1, isRefused: true },
  {
    name: "an upgrade to something unknown",
    parts: [`GET /list-apps HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: nothing\r\n\r\n`],
    maxAnswers: 1,
  },
  {
    name: "a broken WebSocket handshake",
    parts: [
      `GET /run_live HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 99\r\n\r\n`,
    ],
    maxAnswers: 1,
    isRefused: true,
  },
  { name: "a hundred pipelined requests", parts: [GET.repeat(100)], maxAnswers: 100 },
  {
    name: "a half-closed socket before its request is complete",
    parts: ["GET /list-apps HTTP/1.1\r\n"],
    maxAnswers: 1,
    halfClose: true,
    isRefused: true,
  },
  { name: "a half-closed socket behind its request", parts: [GET], maxAnswers: 1, halfClose: true },
  {
    name: "a body that ends early",
    parts: [`${POST}Content-Length: 1000\r\n\r\n{"a":`],
    maxAnswers: 1,
    halfClose: true,
    isRefused: true,
  },
  { name: "a request in single characters", parts: GET.split(""), maxAnswers: 1 },
  {
    name: "a slow body that never ends",
    parts: [`${POST}Content-Length: 1000\r\n\r\n`, ..."{}      ".split("")],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "slow headers that never end",
    parts: ["GET /list-apps HTTP/1.1\r\n", "X-A: b\r\n", "X-B: c\r\n"],
    maxAnswers: 1,
    isRefused: true,
  },
  {
    name: "a body behind a GET",
    parts: [`GET /list-apps HTTP/1.1\r\n${HOST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
    maxAnswers: 1,
  },
  {
    name: "Expect: 100-continue without a body",
    parts: [`${POST}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`],
    maxAnswers: 1,
  },
  {
    name: "an unknown expectation",
    parts: [`${POST}Content-Length: 2\r\nExpect: a-miracle\r\n\r\n{}`],
    maxAnswers: 1,
    isRefused: true,
  },
];
