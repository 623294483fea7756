import { readArgs } from "#kit/definitions/yaml/read-args.ts";
import { ConfigurationException } from "#kit/errors/kit-errors.ts";
import { Type } from "#kit/schema/shape.ts";
import { BaseComputer } from "#kit/tools/computer-use/base-computer.ts";
import { ComputerUseToolset } from "#kit/tools/computer-use/computer-use-toolset.ts";
import { PlaywrightComputer } from "#kit/tools/computer-use/playwright/playwright-computer.ts";
import type { ToolParts, ToolsetClass } from "./component-registry.ts";

const COMPUTER_USE_ARGS = {
  computer: Type.String(),
  screenSize: Type.Array(Type.Number()),
  startUrl: Type.String(),
  searchUrl: Type.String(),
  excludedPredefinedFunctions: Type.Array(Type.String()),
  maxScreenshots: Type.Number(),
  anyModel: Type.Boolean(),
};

/**
 * `computer` names a computer of the registry; without it there is a new Chromium. Which program that is and what it may
 * reach are not set in definitions: those who edit them would otherwise run programs and reach the server's network.
 */
export const computerUseToolset: ToolsetClass = {
  fromConfig: (args, parts) => {
    const { computer, screenSize, startUrl, searchUrl, ...options } = readArgs(args, COMPUTER_USE_ARGS);
    const pages = { screenSize, startUrl, searchUrl };
    if (computer !== undefined && Object.values(pages).some((value) => value !== undefined))
      throw new ConfigurationException('"computer" has its own screenSize, startUrl and searchUrl: leave them out.');
    const used = computer === undefined ? new PlaywrightComputer(pages) : computerOf(computer, parts);
    return new ComputerUseToolset(used, undefined, options);
  },
};

function computerOf(name: string, parts: ToolParts): BaseComputer {
  const instance = parts.instance(name);
  if (instance instanceof BaseComputer) return instance;
  throw new ConfigurationException(`no computer "${name}" is registered.`);
}
