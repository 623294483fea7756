import type { LlmRequest } from "#kit/models/llm-request.ts";
import type { Logger } from "#kit/platform/logger.ts";

/** Code to run, and the files that it may read. */
export interface CodeExecutionInput {
  readonly code: string;
  readonly inputFiles: readonly File[];
  /**
   * Executions with the same id share variables. Absent: each starts without variables. An id belongs to one app, user
   * and session.
   */
  readonly executionId?: string;
}

/** A file that code reads or has written. */
export interface File {
  /** No folders: letters, digits, `.`, `_` and `-`; the first character is not a dot. */
  readonly name: string;
  /** Standard base64 of the bytes. */
  readonly content: string;
  readonly mimeType?: string;
}

/**
 * The result of an execution, also of code that fails; an executor throws only when it could not run the code at all.
 */
export interface CodeExecutionResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly outputFiles: readonly File[];
  /** Absent: failed if stderr is not empty. */
  readonly outcome?: "ok" | "failed" | "timed-out";
}

/** The context that the kit passes with each execution. */
export interface ExecutionScope {
  /** Unique to this execution. */
  readonly jobId: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** A pair of delimiters around a section of text. */
export type Delimiters = readonly [start: string, end: string];

/** Runs the code that a model writes between delimiters. Shared by all runs. */
export interface BlockCodeExecutor {
  readonly kind: "blocks";
  /** Move data files (CSV) from the user's messages to the inputs of the code. */
  readonly optimizeDataFile: boolean;
  /** Executions of one session share variables. */
  readonly stateful: boolean;
  /** How often the model may retry after consecutive failures. */
  readonly errorRetryAttempts: number;
  /** Earlier code is shown to the model between the first pair. */
  readonly codeBlockDelimiters: readonly Delimiters[];
  readonly executionResultDelimiters: Delimiters;
  /** Ends early when the signal aborts. */
  executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult>;
}

/** Code that the model runs itself: the request only has to enable it. */
export interface ModelCodeExecutor {
  readonly kind: "model";
  /** Throws `MODEL_TOOL_UNSUPPORTED` for a model that runs no code. */
  processLlmRequest(request: LlmRequest): void;
}

/** Runs code that a model writes: in a process of its own, or inside the model. */
export type CodeExecutor = BlockCodeExecutor | ModelCodeExecutor;

export const DEFAULT_ERROR_RETRY_ATTEMPTS = 2;
