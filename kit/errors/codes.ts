/**
 * The canonical error codes (google.rpc.Code) that this system uses, each with its gRPC number and its HTTP status.
 * This is the only such table: no other file contains a status number. `retryable`: the caller may repeat the same
 * call. `unavailable`: a store or service did not answer or cannot be reached, so the error describes its condition and
 * not the call. Whether the call took effect can be unknown.
 */
export const ERROR_CODES = {
  CANCELLED: { grpc: 1, http: 499, retryable: false, unavailable: false },
  UNKNOWN: { grpc: 2, http: 500, retryable: false, unavailable: false },
  INVALID_ARGUMENT: { grpc: 3, http: 400, retryable: false, unavailable: false },
  DEADLINE_EXCEEDED: { grpc: 4, http: 504, retryable: true, unavailable: true },
  NOT_FOUND: { grpc: 5, http: 404, retryable: false, unavailable: false },
  ALREADY_EXISTS: { grpc: 6, http: 409, retryable: false, unavailable: false },
  PERMISSION_DENIED: { grpc: 7, http: 403, retryable: false, unavailable: false },
  RESOURCE_EXHAUSTED: { grpc: 8, http: 429, retryable: true, unavailable: false },
  FAILED_PRECONDITION: { grpc: 9, http: 400, retryable: false, unavailable: false },
  ABORTED: { grpc: 10, http: 409, retryable: true, unavailable: false },
  OUT_OF_RANGE: { grpc: 11, http: 400, retryable: false, unavailable: false },
  UNIMPLEMENTED: { grpc: 12, http: 501, retryable: false, unavailable: false },
  INTERNAL: { grpc: 13, http: 500, retryable: false, unavailable: false },
  UNAVAILABLE: { grpc: 14, http: 503, retryable: true, unavailable: true },
  DATA_LOSS: { grpc: 15, http: 500, retryable: false, unavailable: false },
  UNAUTHENTICATED: { grpc: 16, http: 401, retryable: false, unavailable: false },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
