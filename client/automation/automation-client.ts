import { type ClientOptions, toHttpClient } from "../create-client.ts";
import { createScheduleCalls, type ScheduleCalls } from "./schedule-calls.ts";
import { createWebhookCalls, type WebhookCalls } from "./webhook-calls.ts";

/** Schedules and webhooks of a server. Every method rejects with a `FairleadError`, or with the reason of its signal. */
export interface AutomationClient {
  readonly schedules: ScheduleCalls;
  readonly webhooks: WebhookCalls;
}

/**
 * Creates a client for schedules and webhooks, apart from `createClient`, so that pages which only talk to agents load
 * nothing of it. Takes the same options. Throws `INVALID_FIELD` for an option that cannot work.
 *
 * @example
 * ```ts
 * import { createAutomationClient } from "fairlead/client/automation";
 *
 * const { schedules, webhooks } = createAutomationClient({ baseUrl: "http://localhost:8000" });
 * await schedules.create({ appName: "weather", userId: "me", cron: "0 9 * * MON-FRI", text: "What is the weather?" });
 * const { secret } = await webhooks.create({ url: "https://hooks.example.com/fairlead", events: ["run.failed"] });
 * console.log(secret);
 * ```
 */
export function createAutomationClient(options: ClientOptions): AutomationClient {
  const http = toHttpClient(options);
  return { schedules: createScheduleCalls(http), webhooks: createWebhookCalls(http) };
}
