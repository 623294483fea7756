import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { JsonSchemaSource } from "#kit/schema/schema.ts";
import { type ArgumentsOf, FunctionTool, type FunctionToolOptions } from "./function-tool.ts";

/** Options of an `AuthenticatedFunctionTool`. */
export interface AuthenticatedFunctionToolOptions<Parameters extends JsonSchemaSource>
  extends Omit<FunctionToolOptions<Parameters>, "execute"> {
  readonly name: string;
  /** How the tool's server authenticates calls, and the author's client or key. */
  readonly authConfig: AuthConfig;
  readonly execute: (args: ArgumentsOf<Parameters>, context: ToolContext, credential: AuthCredential) => unknown;
  /** The response that the model gets until the user has answered. */
  readonly responseForAuthRequired?: JsonObject | string;
}

/** A tool that calls a function with a credential of its user. If there is none, the user is asked, and the call waits. */
export class AuthenticatedFunctionTool<
  Parameters extends JsonSchemaSource = JsonObject,
> extends FunctionTool<Parameters> {
  constructor({ authConfig, responseForAuthRequired, execute, ...rest }: AuthenticatedFunctionToolOptions<Parameters>) {
    const manager = new CredentialManager(authConfig);
    super({
      // The options of a function tool with another function.
      ...(rest as Omit<FunctionToolOptions<Parameters>, "execute">),
      execute: async (args, context) => {
        const credential = await manager.getAuthCredential(context);
        if (credential !== undefined) return execute(args, context, credential);
        await manager.requestCredential(context);
        return responseForAuthRequired;
      },
    });
  }
}
