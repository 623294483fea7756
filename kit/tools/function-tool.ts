import type { Static, TSchema } from "typebox";
import { BaseTool, type ResponseScheduling, type ToolBehavior, ToolOrigin } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import { type JsonSchemaSource, type Schema, toSchema, type ZodSchema, type ZodShape } from "#kit/schema/schema.ts";
import { PlatformError } from "../errors/platform-error.ts";
import type { FunctionDeclaration } from "../models/llm-request.ts";
import type { JsonObject } from "../platform/json.ts";

/** The arguments that a schema describes: known for zod (a schema, or its shape) and TypeBox, any object for plain JSON Schema. */
export type ArgumentsOf<Parameters> = Parameters extends ZodSchema
  ? Parameters["_zod"]["output"]
  : Parameters extends ZodShape
    ? { readonly [Name in keyof Parameters]: Parameters[Name]["_zod"]["output"] }
    : Parameters extends TSchema & { readonly "~kind": string }
      ? Static<Parameters>
      : JsonObject;

/** Options of a `FunctionTool`. */
export interface FunctionToolOptions<Parameters extends JsonSchemaSource> {
  /** The name in calls of the model; letters, digits, `_`, `.`, `-`. Absent: the name of the function. */
  readonly name?: string;
  /** Describes to the model what the tool does and when to use it. */
  readonly description: string;
  /** Schema of the arguments, of type object; absent: none. Arguments are checked before the function runs. */
  readonly parameters?: Parameters;
  /**
   * Runs a call with its checked arguments. The model gets what it returns; an error that it throws is described to the model.
   */
  readonly execute: (args: ArgumentsOf<Parameters>, context: ToolContext) => unknown;
  /**
   * The final result arrives later, in a message of the user; what the call returns is only an interim one. False by default.
   */
  readonly isLongRunning?: boolean;
  /** `NON_BLOCKING`: a live model of Gemini talks on while the call runs. Other models ignore it. */
  readonly behavior?: ToolBehavior;
  /** Running the tool twice with the same call id has the effect of running it once; false by default. */
  readonly idempotent?: boolean;
  /** False: no other call of the same answer runs concurrently. */
  readonly parallelSafe?: boolean;
  /** The time limit of one call; then `context.signal` is aborted and the model gets an error. */
  readonly timeoutMs?: number;
  /** The user has to confirm calls before they run: all, or those for which the function returns true. */
  readonly requireConfirmation?:
    | boolean
    | ((args: ArgumentsOf<Parameters>, context: ToolContext) => boolean | Promise<boolean>);
  /** How a live model takes a response up that arrives while it talks. */
  readonly responseScheduling?: ResponseScheduling;
  /** `execute` returns a stream of progress. Needed only for a function that is no `async function*`. */
  readonly isStreaming?: boolean;
}

/**
 * A tool that calls a function.
 *
 * @example
 * ```ts
 * import { FunctionTool } from "fairlead/kit";
 * import { z } from "zod";
 *
 * export const rollDie = new FunctionTool({
 *   name: "roll_die",
 *   description: "Rolls a die and returns the result.",
 *   parameters: z.object({ sides: z.number().int().min(2) }),
 *   execute: ({ sides }, context) => {
 *     const result = 1 + Math.floor(Math.random() * sides);
 *     context.state.set("last_roll", result);
 *     return { result };
 *   },
 * });
 * ```
 */
export class FunctionTool<Parameters extends JsonSchemaSource = JsonObject> extends BaseTool {
  /** Whether the function returns a stream, whose values are shown as they arrive. */
  override readonly isStreaming: boolean;
  readonly #options: FunctionToolOptions<Parameters>;
  readonly #schema: Schema | undefined;
  readonly #declaration: FunctionDeclaration;

  /** Throws `INVALID_FIELD` without a name, and for parameters that are not a schema of type object. */
  constructor(options: FunctionToolOptions<Parameters>) {
    const { requireConfirmation: _, name = options.execute.name, ...general } = options;
    if (name === "")
      throw new PlatformError("INVALID_FIELD", "FunctionTool has no name: give one, or a named function as execute.");
    super({ ...general, name });
    this.#options = options;
    this.isStreaming = options.isStreaming ?? isAsyncGenerator(options.execute);
    this.#schema = options.parameters === undefined ? undefined : toSchema(options.parameters, { isOwn: true });
    this.#declaration = {
      name,
      description:
        options.isLongRunning === true ? `${options.description}\n\n${LONG_RUNNING_NOTE}` : options.description,
      parameters: this.#schema?.jsonSchema,
      ...(options.behavior !== undefined && { behavior: options.behavior }),
    };
  }

  override get toolOrigin(): ToolOrigin {
    return ToolOrigin.LOCAL;
  }

  override getDeclaration(): FunctionDeclaration {
    return this.#declaration;
  }

  override get declaresConfirmation(): boolean {
    return (this.#options.requireConfirmation ?? false) !== false;
  }

  /** Wrong arguments need no confirmation: the function is not called with them. */
  override needsConfirmation(args: JsonObject, context: ToolContext): boolean | Promise<boolean> {
    const rule = this.#options.requireConfirmation;
    if (rule === undefined || rule === false) return false;
    return this.#askRule(rule, args, context);
  }

  /** The model gets an `error` for wrong arguments, so that it can correct them. */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const checking =
      this.#schema === undefined ? { ok: true as const, value: args } : checkArguments(this.#schema, args);
    // Awaiting a value that is not a promise would cost each call a turn of the microtask queue.
    const checked = checking instanceof Promise ? await checking : checking;
    if (!checked.ok) {
      return {
        error: `Wrong arguments for ${this.name}: ${checked.problems.join("; ")}. Call it again with corrected arguments.`,
      };
    }
    // The schema has just accepted the value, so it has the type that the schema describes.
    const accepted = checked.value as ArgumentsOf<Parameters>;
    return this.#options.execute(accepted, context);
  }

  async #askRule(
    rule: true | ((args: ArgumentsOf<Parameters>, context: ToolContext) => boolean | Promise<boolean>),
    args: JsonObject,
    context: ToolContext,
  ): Promise<boolean> {
    const checked =
      this.#schema === undefined ? { ok: true as const, value: args } : await checkArguments(this.#schema, args);
    if (!checked.ok) return false;
    // As in `runAsync`.
    return rule === true || rule(checked.value as ArgumentsOf<Parameters>, context);
  }
}

function isAsyncGenerator(call: unknown): boolean {
  return Object.prototype.toString.call(call) === "[object AsyncGeneratorFunction]";
}

const LONG_RUNNING_NOTE =
  "This is a long-running operation: after it answered with a status, do not call it again for the same work.";

/** A function tool whose final result arrives later, in a message of the user with the same call id. */
export class LongRunningFunctionTool<
  Parameters extends JsonSchemaSource = JsonObject,
> extends FunctionTool<Parameters> {
  constructor(options: Omit<FunctionToolOptions<Parameters>, "isLongRunning">) {
    super({ ...options, isLongRunning: true });
  }
}
