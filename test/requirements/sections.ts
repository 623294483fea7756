import { agents } from "./agents.ts";
import { authentication } from "./authentication.ts";
import { callbacks } from "./callbacks.ts";
import { configuration } from "./configuration.ts";
import { definitions } from "./definitions.ts";
import { endpointsHttp } from "./endpoints-http.ts";
import { enumerations } from "./enumerations.ts";
import { errors } from "./errors.ts";
import { event } from "./event.ts";
import { eventActions } from "./event-actions.ts";
import { events } from "./events.ts";
import { limits } from "./limits.ts";
import { listings } from "./listings.ts";
import { memory } from "./memory.ts";
import { model } from "./model.ts";
import { operations } from "./operations.ts";
import { planners } from "./planners.ts";
import { platform } from "./platform.ts";
import { plugins } from "./plugins.ts";
import { records } from "./records.ts";
import type { Requirement } from "./requirement.ts";
import { serverObjects } from "./server-objects.ts";
import { session } from "./session.ts";
import { states } from "./states.ts";
import { tools } from "./tools.ts";
import { typescript } from "./typescript.ts";
import { versioning } from "./versioning.ts";
import { whatTheServiceDoes } from "./what-the-service-does.ts";
import { wire } from "./wire.ts";

/** Rows of the specification by section, in its order, and last those of the platform itself. The name of a section is that of its file. */
export const SECTIONS: Readonly<Record<string, readonly Requirement[]>> = {
  "what-the-service-does": whatTheServiceDoes,
  session,
  event,
  "event-actions": eventActions,
  model,
  "server-objects": serverObjects,
  listings,
  memory,
  configuration,
  definitions,
  enumerations,
  records,
  states,
  "endpoints-http": endpointsHttp,
  wire,
  operations,
  planners,
  agents,
  callbacks,
  tools,
  plugins,
  authentication,
  events,
  errors,
  limits,
  versioning,
  typescript,
  platform,
};
