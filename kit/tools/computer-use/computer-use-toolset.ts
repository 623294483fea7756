import type { BaseTool, ToolLlmRequest } from "#kit/core/base-tool.ts";
import { BaseToolset, type ToolsetOptions } from "#kit/core/base-toolset.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { isGemini2OrNewer, modelNameOf } from "#kit/core/model-tool.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { checkOptions, flag, integer, listOf, type OptionRules, text } from "#kit/schema/check-options.ts";
import { BaseComputer, type ScreenSize } from "./base-computer.ts";
import { COMPUTER_FUNCTIONS } from "./computer-functions.ts";
import { ComputerSessions } from "./computer-sessions.ts";
import { ComputerUseTool } from "./computer-use-tool.ts";
import { showScreenshots } from "./screenshots.ts";

/** Options of `ComputerUseToolset`. */
export interface ComputerUseOptions {
  /** Functions that the model may not call, such as `["drag_and_drop"]`. */
  readonly excludedPredefinedFunctions?: readonly string[] | undefined;
  /** The newest screenshots that a prompt has; 3 by default. Older ones stay in the artifacts. */
  readonly maxScreenshots?: number | undefined;
  /** Skips the check of the model's name, for models whose names do not identify them. */
  readonly anyModel?: boolean | undefined;
}

const RULES: OptionRules<ComputerUseOptions> = {
  excludedPredefinedFunctions: listOf(text),
  maxScreenshots: integer(1),
  anyModel: flag,
};

/** Models for computer use give coordinates from 0 to 999, whatever the screen. */
const MODEL_SPACE: ScreenSize = [1000, 1000];
const DEFAULT_MAX_SCREENSHOTS = 3;

/**
 * Lets a model operate a computer: declares the model's own tool for it, and runs the functions that the model calls.
 * `screenSize` is the width and height that the model's coordinates refer to, 1000 by 1000 by default. Closing the
 * toolset closes the computer. Throws `INVALID_FIELD` for wrong arguments.
 */
export class ComputerUseToolset extends BaseToolset {
  readonly #computer: BaseComputer;
  readonly #options: ComputerUseOptions;
  readonly #tools: readonly BaseTool[];

  constructor(computer: BaseComputer, screenSize: readonly number[] = MODEL_SPACE, options: ComputerUseOptions = {}) {
    super({} satisfies ToolsetOptions);
    if (!(computer instanceof BaseComputer)) throw refused("computer", "a BaseComputer, such as a PlaywrightComputer");
    checkOptions("new ComputerUseToolset", options, RULES);
    const excluded = options.excludedPredefinedFunctions ?? [];
    const unknown = excluded.find((name) => !Object.hasOwn(COMPUTER_FUNCTIONS, name));
    if (unknown !== undefined)
      throw refused("excludedPredefinedFunctions", `some of ${Object.keys(COMPUTER_FUNCTIONS).join(", ")}`);
    this.#computer = computer;
    this.#options = options;
    const sessions = new ComputerSessions(computer);
    const space = toScreenSize(screenSize);
    this.#tools = Object.entries(COMPUTER_FUNCTIONS)
      .filter(([name]) => !excluded.includes(name))
      .map(([name, computerFunction]) => new ComputerUseTool(name, computerFunction, sessions, space));
  }

  /** Throws `MODEL_TOOL_UNSUPPORTED` for a model that cannot use a computer. */
  async processLlmRequest(context: ToolContext, request: ToolLlmRequest): Promise<void> {
    const { anyModel, excludedPredefinedFunctions = [], maxScreenshots = DEFAULT_MAX_SCREENSHOTS } = this.#options;
    if (anyModel !== true && !isGemini2OrNewer(modelNameOf(request.model))) {
      throw new PlatformError(
        "MODEL_TOOL_UNSUPPORTED",
        `"${request.model}" cannot use a computer: use a Gemini model for computer use.`,
        { details: { tool: "computer_use", model: request.model } },
      );
    }
    const modelTools = request.config.modelTools ?? [];
    if (!modelTools.some((tool) => Object.hasOwn(tool, "computerUse"))) {
      const computerUse = {
        environment: this.#computer.environment(),
        ...(excludedPredefinedFunctions.length > 0 && { excludedPredefinedFunctions }),
      };
      request.config = { ...request.config, modelTools: [...modelTools, { computerUse }] };
    }
    const isComputerFunction = (name: string): boolean => Object.hasOwn(COMPUTER_FUNCTIONS, name);
    request.contents = await showScreenshots(request.contents, context, { isComputerFunction, maxScreenshots });
  }

  override async close(): Promise<void> {
    await this.#computer.close();
  }

  protected override loadTools(): readonly BaseTool[] {
    return this.#tools;
  }
}

function toScreenSize([width, height, ...others]: readonly number[]): ScreenSize {
  if (others.length === 0 && isLength(width) && isLength(height)) return [width, height];
  throw refused("screenSize", "a width and a height, as whole numbers above 0");
}

function isLength(value: number | undefined): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}

function refused(name: string, expected: string): PlatformError {
  return new PlatformError("INVALID_FIELD", `new ComputerUseToolset: \`${name}\` must be ${expected}.`);
}
