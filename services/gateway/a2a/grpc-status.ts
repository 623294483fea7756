import { Metadata, type StatusObject, status } from "@grpc/grpc-js";
import { loadProto } from "#adapters/grpc/channel/proto.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";

/** Where the codes of the binding differ from the status that the error has in HTTP+JSON. */
const CODES: Readonly<Record<string, status>> = {
  PUSH_NOTIFICATION_NOT_SUPPORTED: status.UNIMPLEMENTED,
  UNSUPPORTED_OPERATION: status.UNIMPLEMENTED,
  VERSION_NOT_SUPPORTED: status.UNIMPLEMENTED,
};

/** Longest text in a trailer. */
const MAX_LENGTH = 2048;

/** The status for an error of the HTTP+JSON binding, with its reason as a google.rpc.ErrorInfo. */
export function toGrpcStatus(body: JsonValue | undefined): StatusObject {
  const error = isJsonObject(body) && isJsonObject(body["error"]) ? body["error"] : {};
  const { status: name, message: text, details } = error;
  const [info] = Array.isArray(details) ? details : [];
  const facts = isJsonObject(info) ? info : {};
  const reason = String(facts["reason"] ?? "INTERNAL_ERROR");
  // Statuses and codes have the same names.
  const code = CODES[reason] ?? status[String(name) as keyof typeof status] ?? status.INTERNAL;
  const message = (typeof text === "string" ? text : "The server has failed at this call.").slice(0, MAX_LENGTH);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", encode(code, message, { ...facts, reason }));
  return { code, details: message, metadata };
}

function encode(code: number, message: string, { reason, domain, metadata }: JsonObject): Buffer {
  const { ErrorInfo } = loadProto("errorDetails").google.rpc;
  const { Status } = loadProto("status").google.rpc;
  const members = isJsonObject(metadata) ? Object.entries(metadata).map(([name, text]) => [name, String(text)]) : [];
  const value = ErrorInfo.serialize({
    reason: String(reason),
    domain: String(domain ?? "a2a-protocol.org"),
    metadata: Object.fromEntries(members),
  });
  return Status.serialize({
    code,
    message,
    details: [{ type_url: "type.googleapis.com/google.rpc.ErrorInfo", value }],
  });
}
