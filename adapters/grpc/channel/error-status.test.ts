import { type ServiceError, status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { ERROR_CODES } from "#kit/errors/codes.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { ERROR_REASONS, type ErrorReason } from "#kit/errors/reasons.ts";
import { fromServiceError, toStatus } from "./error-status.ts";
import { loadProto } from "./proto.ts";

// The keys are those of the table.
const REASONS = Object.keys(ERROR_REASONS) as ErrorReason[];

/** The part of a status that a client receives. */
function received(thrown: unknown): ServiceError {
  return Object.assign(new Error(), toStatus(thrown));
}

function facts({ code, reason, message, details, httpStatus, retryable }: PlatformError) {
  return { code, reason, message, details, httpStatus, retryable };
}

describe("errors between services", () => {
  it.each(REASONS)("arrive as they were thrown: %s", (reason) => {
    const thrown = new PlatformError(reason, 'Nope: "é 🎲" is wrong.\nFix it.', {
      details: { field: "a.b[0]", sessionId: "日本/%2F", "": "" },
    });
    expect(toStatus(thrown).code).toBe(ERROR_CODES[thrown.code].grpc);
    expect(facts(fromServiceError(received(thrown), "session"))).toEqual(facts(thrown));
  });

  it("say nothing of what is not an error of ours", () => {
    const hidden = received(new TypeError("at /srv/secret.ts"));
    expect(facts(fromServiceError(hidden, "session"))).toEqual(
      facts(new PlatformError("INTERNAL", "The server failed to handle this request.")),
    );
    expect(JSON.stringify([hidden.details, hidden.metadata.toJSON()])).not.toContain("secret");
  });

  it("fit into a trailer, whatever they say", () => {
    const details = { runId: "é".repeat(10_000) };
    const long = received(
      new PlatformError("RUN_NOT_FOUND", `Run not found: ${"é".repeat(10_000)}\ud800`, { details }),
    );
    const arrived = fromServiceError(long, "session");
    expect([arrived.reason, arrived.message.length, arrived.details["runId"]?.length]).toEqual([
      "RUN_NOT_FOUND",
      2049,
      513,
    ]);
    expect(encodeURI(long.details)).toContain("Run%20not%20found");
  });

  it.each([
    [status.UNAVAILABLE, "SERVICE_UNAVAILABLE"],
    [status.DEADLINE_EXCEEDED, "SERVICE_TIMEOUT"],
    [status.CANCELLED, "CALL_CANCELLED"],
    [status.RESOURCE_EXHAUSTED, "SERVICE_UNAVAILABLE"],
    [status.UNIMPLEMENTED, "NOT_IMPLEMENTED"],
    [status.UNAUTHENTICATED, "CALLER_UNKNOWN"],
    [status.PERMISSION_DENIED, "CALLER_NOT_ALLOWED"],
    [status.INTERNAL, "INTERNAL"],
    [status.DATA_LOSS, "INTERNAL"],
  ])(
    "of the transport (%i) get the reason %s and name the service, and nothing that the transport says",
    (code, reason) => {
      const error = Object.assign(received(undefined), { code, details: "connect ECONNREFUSED 10.0.0.7:50051" });
      error.metadata.remove("grpc-status-details-bin");
      const arrived = fromServiceError(error, "session");
      expect([arrived.reason, arrived.cause]).toEqual([reason, error]);
      expect(arrived.message).toContain("session service");
      expect(arrived.message).not.toContain("10.0.0.7");
    },
  );

  it.each([
    "Received message larger than max (5000000 vs 4194304)",
    "Received message that decompresses to a size larger than 4194304",
    "Attempted to send message with a size larger than 4194304",
    "grpc: received message larger than max (5000000 vs. 4194304)",
  ])("of a message over the limit get the reason MESSAGE_TOO_LARGE: %s", (details) => {
    const error = Object.assign(received(undefined), { code: status.RESOURCE_EXHAUSTED, details });
    error.metadata.remove("grpc-status-details-bin");
    expect(fromServiceError(error, "session")).toMatchObject({ reason: "MESSAGE_TOO_LARGE", httpStatus: 413 });
  });

  it("with details of another making are taken by their code", () => {
    const error = Object.assign(received(undefined), { code: status.UNAVAILABLE });
    for (const bytes of [Buffer.from([0xff, 0xff]), Buffer.alloc(0)]) {
      error.metadata.set("grpc-status-details-bin", bytes);
      expect(fromServiceError(error, "session").reason).toBe("SERVICE_UNAVAILABLE");
    }
  });

  it("with the details of another domain are mapped by their code, even if they have a reason of ours", () => {
    const { ErrorInfo } = loadProto("errorDetails").google.rpc;
    const { Status } = loadProto("status").google.rpc;
    const value = ErrorInfo.serialize({ reason: "RUN_NOT_FOUND", domain: "other.example", metadata: {} });
    const details = [{ type_url: "type.googleapis.com/google.rpc.ErrorInfo", value }];
    const error = Object.assign(received(undefined), { code: status.UNAVAILABLE });
    error.metadata.set(
      "grpc-status-details-bin",
      Status.serialize({ code: status.UNAVAILABLE, message: "Elsewhere.", details }),
    );
    expect(fromServiceError(error, "session").reason).toBe("SERVICE_UNAVAILABLE");
  });
});
