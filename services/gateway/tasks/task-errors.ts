import { A2AError, RequestMalformedError, TaskNotFoundError } from "@a2a-js/sdk/errors";
import type { FastifyReply } from "fastify";
import { type PlatformError, toPlatformError } from "#kit/errors/platform-error.ts";
import type { ErrorBody } from "../http/errors.ts";

/**
 * The error of the protocol for what a call has thrown. Undefined for errors that have none, such as a missing scope or a
 * used quota: they are answered like on every other route, by their own status.
 */
export function toA2aError(thrown: unknown): A2AError | undefined {
  if (thrown instanceof A2AError) return thrown;
  const { code, message, reason } = toPlatformError(thrown);
  if (reason === "RUN_NOT_FOUND" || reason === "SESSION_NOT_FOUND") return new TaskNotFoundError();
  if (code === "INVALID_ARGUMENT" && !OWN_STATUS.has(reason))
    return new RequestMalformedError({ message, metadata: { reason } });
  return undefined;
}

/** The errors of the bindings for what no operation has thrown, with the status that the error has on every route. */
export function sendRestError(reply: FastifyReply, { status, code, reason, message }: ErrorBody): FastifyReply {
  const known = STATUS_ERRORS[reason];
  const details = [{ "@type": ERROR_INFO, ...(known ?? { reason, domain: OWN_DOMAIN }) }];
  const error = { code: status, status: known === undefined ? code : "INVALID_ARGUMENT", message, details };
  return reply.type("application/json").send(JSON.stringify({ error }));
}

export function sendJsonRpcError(reply: FastifyReply, { reason, message, code }: ErrorBody): FastifyReply {
  const data = [{ "@type": ERROR_INFO, ...(STATUS_ERRORS[reason] ?? { reason, domain: OWN_DOMAIN }) }];
  const error = { code: RPC_CODES[reason] ?? (code === "INVALID_ARGUMENT" ? -32600 : -32603), message, data };
  return reply.type("application/json").send(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";
const OWN_DOMAIN = "fairlead";
const STATUS_ERRORS: Readonly<Record<string, { readonly reason: string; readonly domain: string }>> = {
  UNSUPPORTED_MEDIA_TYPE: { reason: "CONTENT_TYPE_NOT_SUPPORTED", domain: "a2a-protocol.org" },
};
const RPC_CODES: Readonly<Record<string, number>> = { MALFORMED_JSON: -32700, UNSUPPORTED_MEDIA_TYPE: -32005 };

/** Refusals of a body, which have a status of HTTP that clients know. */
const OWN_STATUS: ReadonlySet<PlatformError["reason"]> = new Set(["BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"]);

export function malformed(message: string): A2AError {
  return new RequestMalformedError(message);
}

export function lengthOf(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isInteger(given) && given >= 0)) return given;
  throw malformed("`historyLength` should be a whole number, 0 or more.");
}

/** For JSON that the SDK's codecs cannot read. They name no member. */
export function wrongForm(place: "body" | "params"): Error {
  return malformed(
    `\`${place}\` has a member of another type than the protocol's, such as null in the list \`parts\`.`,
  );
}
