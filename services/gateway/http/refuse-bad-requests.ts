import type { Socket } from "node:net";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorReason } from "#kit/errors/reasons.ts";
import type { IdGenerator } from "#kit/platform/id-generator.ts";
import { ANSWER_HEADERS } from "./answer-headers.ts";
import { JSON_TYPE, toErrorBody } from "./errors.ts";

// An ES module that imports node:http reads all its exports, and some of them load Node's fetch client: 17 MB.
const { STATUS_CODES } = process.getBuiltinModule("node:http");

/** Answers by the codes of Node's HTTP parser; its other refusals are not HTTP/1.1. */
const REASONS: Readonly<Record<string, readonly [ErrorReason, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    "REQUEST_TIMEOUT",
    "The request did not arrive in time (HEADERS_TIMEOUT_MS, REQUEST_TIMEOUT_MS). Send it again, faster or in smaller parts.",
  ],
  HPE_HEADER_OVERFLOW: ["HEADERS_TOO_LARGE", "The request's headers are over the server's limit."],
};

/** Answers input that is not a valid request, and closes its connection. */
export function refuseBadRequests(ids: IdGenerator): (error: Error, socket: Socket) => void {
  return (error, socket) => {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ECONNRESET" || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    const [reason, message] = REASONS[code] ?? ["MALFORMED_REQUEST", "The request is not valid HTTP/1.1."];
    const refusal = new PlatformError(reason, message, { cause: error });
    const status = refusal.httpStatus;
    const id = ids.next();
    const json = JSON.stringify(toErrorBody(refusal, { id, originalUrl: "" }));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `content-type: ${JSON_TYPE}`,
      `content-length: ${Buffer.byteLength(json)}`,
      `x-request-id: ${id}`,
      "connection: close",
      ...Object.entries(ANSWER_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ];
    // Destroyed after the answer: a client that keeps sending would hold the connection.
    socket.end(`${head.join("\r\n")}\r\n\r\n${json}`, () => socket.destroy());
  };
}
