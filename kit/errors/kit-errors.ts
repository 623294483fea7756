import { PlatformError } from "./platform-error.ts";

/** An invocation made more model calls than `RunConfig.maxLlmCalls` allows. */
export class LlmCallLimitExceededError extends PlatformError {
  constructor(limit: number) {
    super(
      "LLM_CALL_LIMIT_EXCEEDED",
      `The limit of ${limit} model calls for one invocation is exceeded (RunConfig.maxLlmCalls).`,
      {
        details: { limit: String(limit) },
      },
    );
  }
}

/** An invocation has used more tokens than `RunConfig.maxTotalTokens` allows. */
export class TokenBudgetExceededError extends PlatformError {
  constructor(limit: number, used: number) {
    super(
      "TOKEN_BUDGET_EXCEEDED",
      `The budget of ${limit} tokens for one invocation is used up: ${used} (RunConfig.maxTotalTokens).`,
      { details: { limit: String(limit), used: String(used) } },
    );
  }
}

/** An agent definition is invalid. */
export class ConfigurationException extends PlatformError {
  constructor(message: string, cause?: unknown, logDetail?: string) {
    super("CONFIGURATION", message, { cause, logDetail });
  }
}

/** A required field is empty in a model's response, or in a message to a model. The message names the field. */
export class GenAiFieldMissingException extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("FIELD_MISSING", message, { cause });
  }
}

/** A message cannot be converted between the kit's form and a model adapter's. */
export class MessageConversionException extends PlatformError {
  constructor(message: string, cause?: unknown) {
    super("MESSAGE_CONVERSION", message, { cause });
  }

  static invalidMessageStructure(text: string): MessageConversionException {
    return new MessageConversionException(`Invalid message structure: ${text}`);
  }

  static jsonParsingFailed(text: string, cause: unknown): MessageConversionException {
    return new MessageConversionException(`JSON parsing failed: ${text}`, cause);
  }
}
