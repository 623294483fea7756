import { BaseTool } from "#kit/core/base-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** How many names are listed; the request declares all of them anyway. */
const MAX_NAMES = 50;

/** Replaces a tool that the model invented: it fails with an error that lists the agent's tools. */
export class UnknownTool extends BaseTool {
  readonly #known: Iterable<string>;

  constructor(name: string, known: Iterable<string>) {
    super({ name, description: "" });
    this.#known = known;
  }

  override async runAsync(): Promise<unknown> {
    const names = [...this.#known];
    const listed = names.slice(0, MAX_NAMES).join(", ");
    const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
    const list = names.length === 0 ? "There are no tools." : `Tools are: ${listed}${more}.`;
    throw new PlatformError("TOOL_NOT_FOUND", `There is no tool named "${this.name}". ${list}`);
  }
}
