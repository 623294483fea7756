import { BaseTool, type ToolLlmRequest } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { rejection } from "#kit/llm-agent/questions/rejection.ts";
import { isJsonObject, type JsonObject } from "#kit/platform/json.ts";
import { present } from "#kit/platform/members.ts";
import type { BaseComputer, ComputerState, ScreenSize } from "./base-computer.ts";
import { ComputerArguments } from "./computer-arguments.ts";
import type { ComputerFunction } from "./computer-functions.ts";
import type { ComputerSessions } from "./computer-sessions.ts";
import { saveScreenshot } from "./screenshots.ts";

/** The longest time for one call: a page may load slowly. */
const TIMEOUT_MS = 90_000;

/** Decisions of the model's safety service after which a call runs without confirmation. */
const ALLOWED: readonly unknown[] = ["regular", "allowed"];

/**
 * One function of a computer. The function is built into the model, so it is not declared. A call that the model's
 * safety service does not allow waits for the user's confirmation.
 */
export class ComputerUseTool extends BaseTool {
  readonly #function: ComputerFunction;
  readonly #sessions: ComputerSessions;
  readonly #space: ScreenSize;

  constructor(name: string, computerFunction: ComputerFunction, sessions: ComputerSessions, space: ScreenSize) {
    super({ name, description: computerFunction.description, parallelSafe: false, timeoutMs: TIMEOUT_MS });
    this.#function = computerFunction;
    this.#sessions = sessions;
    this.#space = space;
  }

  override processLlmRequest(_context: ToolContext, request: ToolLlmRequest): void {
    request.appendTools(this);
  }

  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    const { safety_decision: safety, ...values } = args;
    const needsConsent = safety !== undefined && safety !== null && !isAllowed(safety);
    const { toolConfirmation } = context;
    if (needsConsent && toolConfirmation === undefined) {
      context.requestConfirmation({ hint: explanationOf(safety) ?? `Confirm or reject the call of ${this.name}.` });
      return undefined;
    }
    if (needsConsent && toolConfirmation?.confirmed !== true && toolConfirmation !== undefined)
      return rejection(toolConfirmation);
    const { computer, lostUrl } = await this.#sessions.open(context);
    if (lostUrl !== undefined && this.#function.opensPage !== true) return this.#reopen(computer, lostUrl, context);
    const screen = await computer.screenSize();
    const state = await this.#function.call(computer, new ComputerArguments(values, this.#space, screen));
    const response = await this.#respond(state, context);
    return needsConsent ? { ...response, safety_acknowledgement: "true" } : response;
  }

  /**
   * Opens the last page again instead of running the call, because coordinates are valid only on the screen that the
   * model has seen.
   */
  async #reopen(computer: BaseComputer, url: string, context: ToolContext): Promise<JsonObject> {
    const state = await computer.navigate(url);
    return {
      error: `The computer was restarted, and ${this.name} did not run. It shows the last address again: look at the screen, and decide what to do.`,
      ...(await this.#respond(state, context)),
    };
  }

  async #respond({ screenshot, url }: ComputerState, context: ToolContext): Promise<JsonObject> {
    this.#sessions.saw(url, context);
    return present({ image: await saveScreenshot(screenshot, context), url });
  }
}

/** An unknown decision requires the user's confirmation. */
function isAllowed(safety: unknown): boolean {
  return isJsonObject(safety) && ALLOWED.includes(safety["decision"]);
}

function explanationOf(safety: unknown): string | undefined {
  if (!isJsonObject(safety)) return undefined;
  const { explanation } = safety;
  return typeof explanation === "string" && explanation !== "" ? explanation : undefined;
}
