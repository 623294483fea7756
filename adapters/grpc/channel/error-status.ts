import { Metadata, type ServiceError, type StatusObject } from "@grpc/grpc-js";
import { ERROR_CODES, type ErrorCode } from "#kit/errors/codes.ts";
import { PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { loadProto } from "./proto.ts";

const DETAILS_KEY = "grpc-status-details-bin";
const ERROR_INFO_URL = "type.googleapis.com/google.rpc.ErrorInfo";
const DOMAIN = "fairlead";
/** HTTP/2 peers refuse header blocks over about 16 KiB, and the details are sent in a trailer, as base64. */
const MAX_MESSAGE_LENGTH = 2048;
const MAX_DETAIL_LENGTH = 512;

/** The gRPC status of a thrown error, with its reason and details as a google.rpc.ErrorInfo. */
export function toStatus(thrown: unknown): StatusObject {
  const error = toPlatformError(thrown);
  const code = ERROR_CODES[error.code].grpc;
  const message = shorten(error.message, MAX_MESSAGE_LENGTH);
  const metadata = new Metadata();
  metadata.set(DETAILS_KEY, encodeDetails(error, code, message));
  return { code, details: message, metadata };
}

/**
 * The error that the status describes. A status without our details comes from the transport or from another kind of
 * server.
 */
export function fromServiceError(error: ServiceError, peer: string): PlatformError {
  const [bytes] = error.metadata?.get(DETAILS_KEY) ?? [];
  const known = bytes instanceof Buffer ? decodeDetails(bytes) : undefined;
  if (known !== undefined) return new PlatformError(known.reason, known.message, { details: known.details });
  const reason = transportReason(error);
  return new PlatformError(reason, transportMessage(reason, peer), { cause: error });
}

interface ErrorFacts {
  readonly reason: ErrorReason;
  readonly message: string;
  readonly details: Readonly<Record<string, string>>;
}

function encodeDetails(error: PlatformError, code: number, message: string): Buffer {
  const { ErrorInfo } = loadProto("errorDetails").google.rpc;
  const { Status } = loadProto("status").google.rpc;
  const metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(error.details)) metadata[name] = shorten(value, MAX_DETAIL_LENGTH);
  const info = ErrorInfo.serialize({ reason: error.reason, domain: DOMAIN, metadata });
  return Status.serialize({ code, message, details: [{ type_url: ERROR_INFO_URL, value: info }] });
}

/**
 * Undefined for details of another kind of server, or of a newer version of ours with a reason that this version does
 * not have.
 */
function decodeDetails(bytes: Buffer): ErrorFacts | undefined {
  const { ErrorInfo } = loadProto("errorDetails").google.rpc;
  const { Status } = loadProto("status").google.rpc;
  try {
    const { message, details } = Status.deserialize(bytes);
    const packed = details.find(({ type_url }) => type_url === ERROR_INFO_URL);
    if (packed === undefined) return undefined;
    const { reason, domain, metadata } = ErrorInfo.deserialize(packed.value);
    return domain === DOMAIN && isReason(reason) ? { reason, message, details: metadata } : undefined;
  } catch {
    // The bytes are no such message; the status's code still identifies the failure.
    return undefined;
  }
}

export function isReason(reason: string): reason is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, reason);
}

const TRANSPORT_REASONS: Readonly<Record<number, ErrorReason>> = numbered({
  CANCELLED: "CALL_CANCELLED",
  DEADLINE_EXCEEDED: "SERVICE_TIMEOUT",
  PERMISSION_DENIED: "CALLER_NOT_ALLOWED",
  // A proxy limits the rate of calls, or the peer asks for fewer of them (ENHANCE_YOUR_CALM).
  RESOURCE_EXHAUSTED: "SERVICE_UNAVAILABLE",
  UNIMPLEMENTED: "NOT_IMPLEMENTED",
  UNAVAILABLE: "SERVICE_UNAVAILABLE",
  UNAUTHENTICATED: "CALLER_UNKNOWN",
});

/** The text of gRPC libraries for a message over their limit, which has the same status as an overload. */
const OVER_LIMIT = /larger than/;

function transportReason({ code, details }: ServiceError): ErrorReason {
  if (code === ERROR_CODES.RESOURCE_EXHAUSTED.grpc && OVER_LIMIT.test(details)) return "MESSAGE_TOO_LARGE";
  return TRANSPORT_REASONS[code] ?? "INTERNAL";
}

function numbered(reasons: Partial<Record<ErrorCode, ErrorReason>>): Readonly<Record<number, ErrorReason>> {
  // The keys are those of the table.
  const entries = Object.entries(reasons) as [ErrorCode, ErrorReason][];
  return Object.fromEntries(entries.map(([code, reason]) => [ERROR_CODES[code].grpc, reason]));
}

function transportMessage(reason: ErrorReason, peer: string): string {
  switch (reason) {
    case "SERVICE_UNAVAILABLE":
      return `The ${peer} service cannot be reached. Try again.`;
    case "SERVICE_TIMEOUT":
      return `The ${peer} service did not answer in time. Try again.`;
    case "MESSAGE_TOO_LARGE":
      return `A message to or from the ${peer} service is over 4 MiB. Make the request smaller, or ask for a page.`;
    case "NOT_IMPLEMENTED":
      return `The ${peer} service does not offer that operation; it may be of another version.`;
    case "CALL_CANCELLED":
      return `The call of the ${peer} service was cancelled.`;
    case "CALLER_UNKNOWN":
    case "CALLER_NOT_ALLOWED":
      return `The ${peer} service refuses calls of this service.`;
    default:
      return `The ${peer} service failed to handle this request.`;
  }
}

/** Well-formed, because the transport cannot encode half of a surrogate pair. */
function shorten(text: string, maxLength: number): string {
  return (text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`).toWellFormed();
}
