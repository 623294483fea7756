import { APPROVAL } from "./approval.ts";
import { BASIC } from "./basic.ts";
import { EVALUATION } from "./evaluation.ts";
import { MCP } from "./mcp.ts";
import { PIPELINE } from "./pipeline.ts";
import { PLANNER } from "./planner.ts";
import type { Template } from "./template.ts";

/** The kinds of projects, by the names of `--template`. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  basic: BASIC,
  approval: APPROVAL,
  pipeline: PIPELINE,
  planner: PLANNER,
  mcp: MCP,
  evaluation: EVALUATION,
};
