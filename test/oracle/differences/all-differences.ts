import type { ListedDifference } from "../difference.ts";
import { A2A } from "./a2a.ts";
import { AGENT_TOOLS } from "./agent-tools.ts";
import { APPS } from "./apps.ts";
import { ARTIFACTS } from "./artifacts.ts";
import { CONFIRMATION } from "./confirmation.ts";
import { CREDENTIALS } from "./credentials.ts";
import { ERRORS } from "./errors.ts";
import { EVALUATION } from "./evaluation.ts";
import { EVENTS } from "./events.ts";
import { ORIGINS } from "./origins.ts";
import { PROMPTS } from "./prompts.ts";
import { RESUMING } from "./resuming.ts";
import { RUNS } from "./runs.ts";
import { SCHEMAS } from "./schemas.ts";
import { SESSIONS } from "./sessions.ts";
import { TEMPLATES } from "./templates.ts";
import { TIMES } from "./times.ts";
import { TOOLS } from "./tools.ts";
import { TRACES } from "./traces.ts";
import { UI } from "./ui.ts";

/** The places where this server answers differently from the recorded one, and why. */
export const DIFFERENCES: readonly ListedDifference[] = [
  ...TIMES,
  ...A2A,
  ...EVENTS,
  ...ERRORS,
  ...APPS,
  ...UI,
  ...SESSIONS,
  ...RESUMING,
  ...RUNS,
  ...TOOLS,
  ...AGENT_TOOLS,
  ...CONFIRMATION,
  ...CREDENTIALS,
  ...PROMPTS,
  ...TEMPLATES,
  ...SCHEMAS,
  ...ARTIFACTS,
  ...TRACES,
  ...EVALUATION,
  ...ORIGINS,
];
