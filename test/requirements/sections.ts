import { agents } from "./agents/agents.ts";
import { callbacks } from "./agents/callbacks.ts";
import { definitions } from "./agents/definitions.ts";
import { event } from "./agents/event.ts";
import { eventActions } from "./agents/event-actions.ts";
import { events } from "./agents/events.ts";
import { memory } from "./agents/memory.ts";
import { model } from "./agents/model.ts";
import { planners } from "./agents/planners.ts";
import { plugins } from "./agents/plugins.ts";
import { records } from "./agents/records.ts";
import { session } from "./agents/session.ts";
import { states } from "./agents/states.ts";
import { tools } from "./agents/tools.ts";
import { typescript } from "./agents/typescript.ts";
import type { Requirement } from "./requirement.ts";
import { authentication } from "./server/authentication.ts";
import { configuration } from "./server/configuration.ts";
import { endpointsHttp } from "./server/endpoints-http.ts";
import { enumerations } from "./server/enumerations.ts";
import { errors } from "./server/errors.ts";
import { imports } from "./server/import.ts";
import { limits } from "./server/limits.ts";
import { listings } from "./server/listings.ts";
import { operations } from "./server/operations.ts";
import { peers } from "./server/peers.ts";
import { platform } from "./server/platform.ts";
import { postgres } from "./server/postgres.ts";
import { providers } from "./server/providers.ts";
import { quotas } from "./server/quotas.ts";
import { retention } from "./server/retention.ts";
import { schedules } from "./server/schedules.ts";
import { serverObjects } from "./server/server-objects.ts";
import { tenants } from "./server/tenants.ts";
import { versioning } from "./server/versioning.ts";
import { webhooks } from "./server/webhooks.ts";
import { whatTheServiceDoes } from "./server/what-the-service-does.ts";
import { wire } from "./server/wire.ts";

/** Rows of the specification by section, in its order, then those of the platform. A section has the name of its file. */
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
  tenants,
  events,
  errors,
  limits,
  quotas,
  retention,
  import: imports,
  versioning,
  typescript,
  platform,
  postgres,
  schedules,
  webhooks,
  peers,
  providers,
};
