import type { CallSecrets } from "#kit/errors/call-secrets.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { ErrorReason } from "../errors/reasons.ts";
import { describeFailure, type Failure } from "./provider-failure.ts";
import { isGoneFile, type Refused, refusedPart } from "./refused-request.ts";

/** The category of a provider's failure. */
export const ErrorCategory = {
  /** The credentials are refused. */
  AUTH_ERROR: "AUTH_ERROR",
  /** The request is refused. */
  CLIENT_ERROR: "CLIENT_ERROR",
  RATE_LIMITED: "RATE_LIMITED",
  SERVER_ERROR: "SERVER_ERROR",
  /** The provider cannot be reached. */
  NETWORK_ERROR: "NETWORK_ERROR",
  /** An established connection broke, usually a kept-alive one that the provider has closed. */
  CONNECTION_LOST: "CONNECTION_LOST",
  TIMEOUT_ERROR: "TIMEOUT_ERROR",
  /** The provider does not have that model. */
  MODEL_ERROR: "MODEL_ERROR",
  UNKNOWN_ERROR: "UNKNOWN_ERROR",
} as const;
export type ErrorCategory = (typeof ErrorCategory)[keyof typeof ErrorCategory];

/** How long to wait before a model call is repeated after a failure. */
export const RetryStrategy = {
  EXPONENTIAL_BACKOFF: "EXPONENTIAL_BACKOFF",
  FIXED_DELAY: "FIXED_DELAY",
  IMMEDIATE_RETRY: "IMMEDIATE_RETRY",
  NO_RETRY: "NO_RETRY",
} as const;
export type RetryStrategy = (typeof RetryStrategy)[keyof typeof RetryStrategy];

const FIXED_DELAY_MS = 1000;
const FIRST_BACKOFF_MS = 1000;
const LONGEST_BACKOFF_MS = 30_000;

const CATEGORIES: Readonly<Record<ErrorCategory, { readonly reason: ErrorReason; readonly strategy: RetryStrategy }>> =
  {
    AUTH_ERROR: { reason: "MODEL_AUTH_ERROR", strategy: RetryStrategy.NO_RETRY },
    CLIENT_ERROR: { reason: "MODEL_BAD_REQUEST", strategy: RetryStrategy.NO_RETRY },
    RATE_LIMITED: { reason: "MODEL_RATE_LIMITED", strategy: RetryStrategy.EXPONENTIAL_BACKOFF },
    SERVER_ERROR: { reason: "MODEL_UNAVAILABLE", strategy: RetryStrategy.EXPONENTIAL_BACKOFF },
    CONNECTION_LOST: { reason: "MODEL_UNAVAILABLE", strategy: RetryStrategy.IMMEDIATE_RETRY },
    NETWORK_ERROR: { reason: "MODEL_UNAVAILABLE", strategy: RetryStrategy.FIXED_DELAY },
    TIMEOUT_ERROR: { reason: "MODEL_UNAVAILABLE", strategy: RetryStrategy.EXPONENTIAL_BACKOFF },
    MODEL_ERROR: { reason: "MODEL_BAD_REQUEST", strategy: RetryStrategy.NO_RETRY },
    UNKNOWN_ERROR: { reason: "MODEL_UNAVAILABLE", strategy: RetryStrategy.NO_RETRY },
  };

/** Whether repeating the same request may succeed. */
export function isRetryable(category: ErrorCategory): boolean {
  return getRetryStrategy(category) !== RetryStrategy.NO_RETRY;
}

export function getRetryStrategy(category: ErrorCategory): RetryStrategy {
  return CATEGORIES[category].strategy;
}

/** Milliseconds to wait after failed attempt number `attempt` (the first is 0); -1 if the request is not repeated. */
export function getRetryDelay(strategy: RetryStrategy, attempt: number): number {
  switch (strategy) {
    case RetryStrategy.EXPONENTIAL_BACKOFF:
      return Math.min(FIRST_BACKOFF_MS * 2 ** attempt, LONGEST_BACKOFF_MS);
    case RetryStrategy.FIXED_DELAY:
      return FIXED_DELAY_MS;
    case RetryStrategy.IMMEDIATE_RETRY:
      return 0;
    case RetryStrategy.NO_RETRY:
      return -1;
    default:
      return strategy satisfies never;
  }
}

export interface ModelErrorOptions {
  /** HTTP status of the provider's answer. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
  /** What a client error refused: what was said, or how it was asked for. */
  readonly refused?: Refused | undefined;
  /** The provider's text, which may quote a key, an address or a file: for the log only. */
  readonly logDetail?: string | undefined;
}

/**
 * A provider's failure, with the same message for every provider. The provider's own text is in `logDetail`, its error
 * is the cause.
 */
export class ModelError extends PlatformError {
  readonly category: ErrorCategory;
  readonly normalizedMessage: string;
  readonly retryStrategy: RetryStrategy;
  /**
   * Milliseconds to wait before the next attempt: the delay that the provider asked for, or else the strategy's first
   * delay.
   */
  readonly retryDelay: number;

  constructor(category: ErrorCategory, message: string, options: ModelErrorOptions = {}) {
    const { status, cause, logDetail, refused } = options;
    const details = {
      category,
      ...(status !== undefined && { providerStatus: String(status) }),
      ...(refused !== undefined && { refused }),
    };
    super(CATEGORIES[category].reason, message, { details, cause, logDetail });
    this.category = category;
    this.normalizedMessage = message;
    this.retryStrategy = getRetryStrategy(category);
    this.retryDelay = this.retryable ? (options.retryAfterMs ?? getRetryDelay(this.retryStrategy, 0)) : -1;
  }

  override get retryable(): boolean {
    return isRetryable(this.category);
  }
}

/** Display names of the provider that was called. */
export interface ProviderNames {
  readonly provider: string;
  /** Where the key comes from: an environment variable or an option. */
  readonly keySource: string;
  /** Values that must not appear in an error. */
  readonly secrets?: CallSecrets;
  /** The settings of the request that a text of the provider names. */
  readonly namedSettings?: (text: string) => readonly string[];
}

/** Returns errors of the platform unchanged, also if an SDK has wrapped them. */
export function mapModelError(error: unknown, names: ProviderNames): PlatformError {
  for (let link = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth += 1)
    if (link instanceof PlatformError) return link;
  const failure = describeFailure(error);
  const category = categorize(failure);
  const { secrets } = names;
  const detail = logDetailOf(category, failure);
  return new ModelError(category, messageOf(category, failure, names), {
    status: failure.status,
    retryAfterMs: failure.retryAfterMs,
    refused: category === ErrorCategory.CLIENT_ERROR ? refusedPart(failure.status, failure.message) : undefined,
    cause: secrets === undefined ? error : secrets.redactError(error),
    logDetail: detail === undefined ? undefined : (secrets?.redact(detail) ?? detail),
  });
}

function categorize(failure: Failure): ErrorCategory {
  if (failure.timeout) return ErrorCategory.TIMEOUT_ERROR;
  if (isGoneFile(failure.status, failure.message)) return ErrorCategory.CLIENT_ERROR;
  if (failure.status !== undefined) return categoryOfStatus(failure.status);
  if (failure.broken) return ErrorCategory.CONNECTION_LOST;
  if (failure.network) return ErrorCategory.NETWORK_ERROR;
  // An answer that is incomplete or no JSON is the provider's fault.
  return failure.malformed ? ErrorCategory.SERVER_ERROR : ErrorCategory.UNKNOWN_ERROR;
}

function categoryOfStatus(status: number): ErrorCategory {
  if (status === 401 || status === 403) return ErrorCategory.AUTH_ERROR;
  if (status === 404) return ErrorCategory.MODEL_ERROR;
  if (status === 408 || status === 504) return ErrorCategory.TIMEOUT_ERROR;
  if (status === 429) return ErrorCategory.RATE_LIMITED;
  if (status >= 500) return ErrorCategory.SERVER_ERROR;
  return ErrorCategory.CLIENT_ERROR;
}

/** A provider's text about credentials may quote a key in an unknown format, so it is never sent to a client. */
function logDetailOf(category: ErrorCategory, { message }: Failure): string | undefined {
  return message === "" || category === ErrorCategory.AUTH_ERROR ? undefined : message;
}

function messageOf(category: ErrorCategory, failure: Failure, names: ProviderNames): string {
  const { provider, keySource } = names;
  switch (category) {
    case ErrorCategory.AUTH_ERROR:
      return `${provider} refused the credentials (${failure.status}). Check ${keySource} and what it may access.`;
    case ErrorCategory.CLIENT_ERROR:
      return `${provider} refused the request (${failure.status}).${settingsNote(failure, names)}`;
    case ErrorCategory.MODEL_ERROR:
      return `${provider} does not know the model or resource (${failure.status}).`;
    case ErrorCategory.RATE_LIMITED:
      return `${provider} asks to slow down, or a quota is used up (${failure.status}).`;
    case ErrorCategory.SERVER_ERROR:
      return failure.status === undefined
        ? `${provider} sent an answer that cannot be read.`
        : `${provider} failed (${failure.status}).`;
    case ErrorCategory.NETWORK_ERROR:
      return `${provider} cannot be reached${failure.networkCode === undefined ? "" : ` (${failure.networkCode})`}.`;
    case ErrorCategory.CONNECTION_LOST:
      return `The connection to ${provider} broke${failure.networkCode === undefined ? "" : ` (${failure.networkCode})`}.`;
    case ErrorCategory.TIMEOUT_ERROR:
      return `${provider} did not answer in time.`;
    case ErrorCategory.UNKNOWN_ERROR:
      return `The call to ${provider} failed.`;
    default:
      return category satisfies never;
  }
}

/** Newer models refuse settings, and combinations of them, that older ones take. */
function settingsNote({ message }: Failure, { namedSettings }: ProviderNames): string {
  const named = namedSettings?.(message) ?? [];
  if (named.length === 0) return "";
  return ` Its answer names ${named.join(" and ")} of generateContentConfig: change or remove ${named.length > 1 ? "one of them" : "it"} for this model.`;
}
