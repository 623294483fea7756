import type { JsonValue } from "#kit/platform/json.ts";

/** A parameter that several routes have. */
interface ApiParameter {
  readonly description: string;
  /** A value with which the operation succeeds on the server with the sample agents. */
  readonly example?: JsonValue;
}

export const PARAMETERS: Readonly<Record<string, ApiParameter>> = {
  appName: { description: "The name of an app, as `GET /list-apps` lists it.", example: "weather" },
  userId: { description: "The user's id, which the client chooses.", example: "me" },
  sessionId: { description: "The session's id, unique for the app and user.", example: "first" },
  scheduleId: { description: "The schedule's id, from the answer that created it or from the list of schedules." },
  webhookId: { description: "The webhook's id, from the answer that created it or from the list of webhooks." },
  deliveryId: { description: "The delivery's id, from the list of deliveries, or from the header `webhook-id`." },
  runId: { description: "The run's id, from the answer that started it or from the list of runs." },
  keyId: { description: "The API key's id, from the list of keys.", example: "01999f3e8b907d1e8f112b8f0c9e7d30" },
  credentialKey: { description: "The name of a credential, from the list of credentials.", example: "calendar" },
  eventId: { description: "The `id` of an event, from the answer of a run or from the session." },
  path: {
    description: "The file's name. It may contain slashes; encode them if the name ends like one of these paths.",
    example: "notes/trip.txt",
  },
  version: { description: "A version's number, from 0, or `latest`.", example: 0 },
  jobId: { description: "The evaluation's id, from the answer that started it or from the list of evaluations." },
  evalSetId: { description: "The evaluation set's id.", example: "greetings" },
  evalId: { description: "The case's id, unique in its set.", example: "paris" },
  evalResultId: { description: "The result's id, from the list of results.", example: "weather_greetings_1" },
  testName: { description: "The test's name.", example: "first" },
  status: { description: "Only runs with this status." },
  pageSize: { description: "The length of a page." },
  pageToken: { description: "The token of the next page, from the answer with the page before." },
  "last-event-id": { description: "The `id` of the last frame that was seen; browsers send it when they reconnect." },
};
