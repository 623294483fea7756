import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** Code to run, and what it may read. */
export interface CodeExecutionInput {
  readonly code: string;
  readonly inputFiles: readonly File[];
  /** Executions with the same id share variables. Absent: each starts afresh. Of one app, user and session only. */
  readonly executionId?: string;
}

/** A file that code reads or has written. */
export interface File {
  /** No folders: letters, digits, `.`, `_`, `-`, not a dot first. */
  readonly name: string;
  /** Standard base64 of the bytes. */
  readonly content: string;
  readonly mimeType?: string;
}

/**
 * What came of an execution. Code that fails is a result; an executor throws only when it could not run the code at
 * all.
 */
export interface CodeExecutionResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly outputFiles: readonly File[];
  /** Absent: failed when there is anything on stderr. */
  readonly outcome?: "ok" | "failed" | "timed-out";
}

/** What the kit gives along with each execution. */
export interface ExecutionScope {
  /** Unique to this execution. */
  readonly jobId: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A pair of marks around a piece of text. */
export type Delimiters = readonly [start: string, end: string];

/** Runs the code that a model writes between delimiters. Shared by all runs. */
export interface BlockCodeExecutor {
  readonly kind: "blocks";
  /** Take data files (CSV) out of the user's messages and hand them to the code. */
  readonly optimizeDataFile: boolean;
  /** Executions of one session share variables. */
  readonly stateful: boolean;
  /** How often the model may try again after consecutive failures. */
  readonly errorRetryAttempts: number;
  /** The first pair is also how earlier code is shown to the model. */
  readonly codeBlockDelimiters: readonly Delimiters[];
  readonly executionResultDelimiters: Delimiters;
  /** Ends early when the signal aborts. */
  executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult>;
}

/** Code that the model runs itself: it only has to be asked for. */
export interface ModelCodeExecutor {
  readonly kind: "model";
  /** Throws `MODEL_TOOL_UNSUPPORTED` for a model that runs no code. */
  processLlmRequest(request: LlmRequest): void;
}

export type CodeExecutor = BlockCodeExecutor | ModelCodeExecutor;

export const DEFAULT_ERROR_RETRY_ATTEMPTS = 2;
