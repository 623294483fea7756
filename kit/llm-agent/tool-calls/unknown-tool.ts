import { BaseTool } from "#kit/core/base-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";

/** Names that a model is told; an agent with more has them in its request anyway. */
const MAX_NAMES = 50;

/** Stands in for a tool that the model made up: it fails in a way that tells the model what there is. */
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
