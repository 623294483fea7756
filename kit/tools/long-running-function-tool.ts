import type { JsonSchemaSource } from "#kit/schema/schema.ts";
import type { JsonObject } from "../platform/json.ts";
import { FunctionTool, type FunctionToolOptions } from "./function-tool.ts";

/** A function tool whose final result arrives later, in a message of the user with the same call id. */
export class LongRunningFunctionTool<
  Parameters extends JsonSchemaSource = JsonObject,
> extends FunctionTool<Parameters> {
  constructor(options: Omit<FunctionToolOptions<Parameters>, "isLongRunning">) {
    super({ ...options, isLongRunning: true });
  }
}
