import {
  type BlockCodeExecutor,
  type CodeExecutionInput,
  type CodeExecutionResult,
  DEFAULT_ERROR_RETRY_ATTEMPTS,
  type Delimiters,
  type ExecutionScope,
} from "#kit/core/code-executor.ts";
import { PlatformError } from "../errors/platform-error.ts";

/** Options that all code executors have. */
export interface CodeExecutorOptions {
  readonly optimizeDataFile?: boolean;
  readonly stateful?: boolean;
  /** How often the model may correct failing code; 2 by default, 0: never. */
  readonly errorRetryAttempts?: number;
  readonly codeBlockDelimiters?: readonly Delimiters[];
  readonly executionResultDelimiters?: Delimiters;
}

const CODE_BLOCK_DELIMITERS: readonly Delimiters[] = [
  ["```tool_code\n", "\n```"],
  ["```python\n", "\n```"],
];
const EXECUTION_RESULT_DELIMITERS: Delimiters = ["```tool_output\n", "\n```"];

/** The settings of an executor, with their defaults: subclasses implement how code is run. */
export abstract class BaseCodeExecutor implements BlockCodeExecutor {
  readonly kind = "blocks";
  readonly optimizeDataFile: boolean;
  readonly stateful: boolean;
  readonly errorRetryAttempts: number;
  readonly codeBlockDelimiters: readonly Delimiters[];
  readonly executionResultDelimiters: Delimiters;

  /** Throws `INVALID_FIELD` for a wrong number of retries, and for `codeBlockDelimiters` that are missing or empty. */
  constructor(options: CodeExecutorOptions = {}) {
    this.optimizeDataFile = options.optimizeDataFile ?? false;
    this.stateful = options.stateful ?? false;
    this.errorRetryAttempts = options.errorRetryAttempts ?? DEFAULT_ERROR_RETRY_ATTEMPTS;
    this.codeBlockDelimiters = options.codeBlockDelimiters ?? CODE_BLOCK_DELIMITERS;
    this.executionResultDelimiters = options.executionResultDelimiters ?? EXECUTION_RESULT_DELIMITERS;
    if (!Number.isSafeInteger(this.errorRetryAttempts) || this.errorRetryAttempts < 0)
      throw new PlatformError("INVALID_FIELD", "errorRetryAttempts must be an integer from 0.");
    if (this.codeBlockDelimiters.length === 0 || this.codeBlockDelimiters.some((pair) => pair.includes("")))
      throw new PlatformError("INVALID_FIELD", "codeBlockDelimiters must be pairs of texts that are not empty.");
  }

  /** As `BlockCodeExecutor.executeCode`. */
  abstract executeCode(input: CodeExecutionInput, scope: ExecutionScope): Promise<CodeExecutionResult>;
}
