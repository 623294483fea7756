import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { BodyShare } from "./body-budget.ts";

export interface BodyLimits {
  readonly maxBytes: number;
  /** The name of the limit's setting; undefined if it has none. */
  readonly setting: string | undefined;
  /** The request's share in the budget of all bodies. */
  readonly share: BodyShare | undefined;
}

type Done = (error: PlatformError | null, bytes?: Buffer) => void;

/**
 * Reads a whole body, and stops at the first byte over a limit. `done` is called once; after an error no more is read.
 */
export function readBody(payload: Readable, headers: IncomingHttpHeaders, limits: BodyLimits, done: Done): void {
  const { maxBytes, share } = limits;
  const refusal = refuseHeaders(headers, limits);
  if (refusal !== undefined) {
    done(refusal);
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  const stop = (): void => {
    payload.off("data", onData).off("end", onEnd).off("error", onError).off("close", onError);
  };
  const fail = (error: PlatformError): void => {
    stop();
    // The connection may still fail; without a listener that would end the process.
    payload.on("error", ignore);
    done(error);
  };
  // The payload of a request is not decoded yet: its chunks are bytes.
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxBytes) fail(tooLarge(limits));
    else if (share?.take(chunk.length) === false) fail(tooManyBodies());
    else chunks.push(chunk);
  };
  const onEnd = (): void => {
    stop();
    const [first] = chunks;
    done(null, chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length));
  };
  const onError = (): void => fail(new PlatformError("BODY_INCOMPLETE", "The body did not arrive as a whole."));
  payload.on("data", onData).on("end", onEnd).on("error", onError).on("close", onError);
}

/** Refuses bodies by their headers alone. */
function refuseHeaders(headers: IncomingHttpHeaders, limits: BodyLimits): PlatformError | undefined {
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    const message = "Send the body as it is: a Content-Encoding such as gzip is not accepted.";
    return new PlatformError("UNSUPPORTED_MEDIA_TYPE", message);
  }
  return Number(headers["content-length"]) > limits.maxBytes ? tooLarge(limits) : undefined;
}

function tooLarge({ maxBytes, setting }: BodyLimits): PlatformError {
  const of = setting === undefined ? "" : ` (${setting})`;
  return new PlatformError("BODY_TOO_LARGE", `The body is over the server's limit of ${maxBytes} bytes${of}.`, {
    details: { maxBytes: String(maxBytes) },
  });
}

function tooManyBodies(): PlatformError {
  return new PlatformError(
    "TOO_MANY_BODIES",
    "The server has no room for this body just now (MAX_BODY_BYTES_IN_FLIGHT). Repeat the request a little later.",
    { details: { retryAfterSeconds: "1" } },
  );
}

function ignore(): void {}
