/**
 * The canonical error codes (google.rpc.Code) that this system uses, each with its gRPC number, its HTTP status and
 * whether a caller may repeat the same call. The one such table: no status number stands anywhere else.
 */
export const ERROR_CODES = {
  CANCELLED: { grpc: 1, http: 499, retryable: false },
  UNKNOWN: { grpc: 2, http: 500, retryable: false },
  INVALID_ARGUMENT: { grpc: 3, http: 400, retryable: false },
  DEADLINE_EXCEEDED: { grpc: 4, http: 504, retryable: true },
  NOT_FOUND: { grpc: 5, http: 404, retryable: false },
  ALREADY_EXISTS: { grpc: 6, http: 409, retryable: false },
  PERMISSION_DENIED: { grpc: 7, http: 403, retryable: false },
  RESOURCE_EXHAUSTED: { grpc: 8, http: 429, retryable: true },
  FAILED_PRECONDITION: { grpc: 9, http: 400, retryable: false },
  ABORTED: { grpc: 10, http: 409, retryable: true },
  OUT_OF_RANGE: { grpc: 11, http: 400, retryable: false },
  UNIMPLEMENTED: { grpc: 12, http: 501, retryable: false },
  INTERNAL: { grpc: 13, http: 500, retryable: false },
  UNAVAILABLE: { grpc: 14, http: 503, retryable: true },
  DATA_LOSS: { grpc: 15, http: 500, retryable: false },
  UNAUTHENTICATED: { grpc: 16, http: 401, retryable: false },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;
