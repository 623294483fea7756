import { PlatformError } from "#kit/errors/platform-error.ts";
import type { Event } from "#kit/events/event.ts";
import { fromEventRecord } from "#kit/events/event-record.ts";
import { Type } from "#kit/schema/shape.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { AnswerReader } from "#shared/answers/answer-account.ts";
import type { RouteDeps } from "../deps.ts";
import { drawAgentGraph, highlightPairs } from "../graphs/agent-graph.ts";
import { drawStructure, findAgent, toWireApp } from "../graphs/structure-graph.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers, JsonMap, SessionParams } from "../requests/wire-schemas.ts";
import { answersOf } from "../streams/answers-of.ts";
import { StoredEventReader } from "../streams/stored-events.ts";

const AppParams = Type.Object({ appName: Type.String() });
const EventParams = Type.Object({ ...SessionParams.properties, eventId: Type.String() });
const DarkQuery = Type.Object({ dark_mode: Type.Optional(Type.Boolean({ description: "Colours for a dark page." })) });
const ImageQuery = Type.Object({
  ...DarkQuery.properties,
  node: Type.Optional(Type.String({ description: "Draw only this agent and those below it." })),
});
const GraphResponse = Type.Object({ dotSrc: Type.Optional(Type.String({ description: "Graphviz source." })) });

const EVENT_PATHS = ["/apps/", "/dev/apps/"].map(
  (prefix) => `${prefix}:appName/users/:userId/sessions/:sessionId/events/:eventId/graph`,
);

type GraphDeps = Pick<RouteDeps, "runnerService" | "sessionService" | "answers">;

/** Drawings of an app's agents, and its structure as data, on the new and the old paths. */
export function graphRoutes(deps: GraphDeps): TypedRoutes {
  const { runnerService } = deps;
  return async (app) => {
    for (const path of EVENT_PATHS) {
      app.get(
        path,
        {
          schema: described({
            operationId: "drawEvent",
            answer: "of-the-operator",
            access: { scope: "sessions:read", owner: "path-user" },
            tags: ["graphs"],
            summary: "The agents, with the path of an event marked",
            description: "An object without `dotSrc` if the session has no such event.",
            errors: ["APP_NOT_FOUND", "SESSION_NOT_FOUND"],
            params: EventParams,
            response: { 200: GraphResponse },
          }),
        },
        async (request) => {
          const { appName, userId, sessionId, eventId } = request.params;
          const { rootAgent } = await runnerService.describeApp(appName);
          const session = { appName, userId, id: sessionId };
          const event = await findEvent({ ...deps, answers: answersOf(deps, request) }, session, eventId);
          // Clients of all ADK servers read this as "no drawing"; some fail on a 404.
          if (event === undefined) return {};
          return { dotSrc: drawAgentGraph(rootAgent, { highlights: highlightPairs(event) }) };
        },
      );
    }

    for (const path of ["/dev/apps/:appName/build_graph", "/dev/build_graph/:appName"]) {
      app.get(
        path,
        {
          schema: described({
            operationId: "readStructure",
            answer: "of-the-operator",
            access: { owner: "app" },
            tags: ["graphs"],
            summary: "The structure of an app",
            errors: ["APP_NOT_FOUND"],
            params: AppParams,
            response: answers({ 200: JsonMap }),
          }),
        },
        async ({ params }) => ({ ...toWireApp(await runnerService.describeApp(params.appName)) }),
      );
    }

    for (const path of ["/dev/apps/:appName/build_graph_image", "/dev/build_graph_image/:appName"]) {
      app.get(
        path,
        {
          schema: described({
            operationId: "drawStructure",
            answer: "of-the-operator",
            access: { owner: "app" },
            tags: ["graphs"],
            summary: "The structure of an app as a drawing",
            errors: ["APP_NOT_FOUND", "AGENT_NOT_FOUND"],
            params: AppParams,
            querystring: ImageQuery,
            response: answers({ 200: JsonMap }),
          }),
        },
        async ({ params, query: { dark_mode: darkMode = false, node = "" } }) => {
          const { rootAgent } = await runnerService.describeApp(params.appName);
          const agent = findAgent(rootAgent, node);
          if (!agent) throw new PlatformError("AGENT_NOT_FOUND", `Node not found: ${node}`, { details: { node } });
          const dotSrc = drawStructure(agent, darkMode);
          // The UI reads the map of levels when it loads, and `dotSrc` when it requests one level.
          return { [node]: { dotSrc }, dotSrc };
        },
      );
    }

    for (const path of ["/dev/apps/:appName/graph", "/dev/:appName/graph"]) {
      app.get(
        path,
        {
          schema: described({
            operationId: "drawAgents",
            answer: "of-the-operator",
            access: { owner: "app" },
            tags: ["graphs"],
            summary: "The agents and tools of an app",
            errors: ["APP_NOT_FOUND"],
            params: AppParams,
            querystring: DarkQuery,
            response: { 200: GraphResponse },
          }),
        },
        async ({ params, query }) => {
          const { rootAgent } = await runnerService.describeApp(params.appName);
          return { dotSrc: drawAgentGraph(rootAgent, { light: query.dark_mode !== true }) };
        },
      );
    }
  };
}

/** Finds the event and parses only it. */
async function findEvent(
  deps: Pick<GraphDeps, "sessionService"> & { readonly answers: AnswerReader },
  session: SessionKey,
  eventId: string,
): Promise<Event | undefined> {
  using reader = new StoredEventReader(deps, { session, afterRevision: 0 });
  while (await reader.load()) {
    for (let record = reader.next(); record !== undefined; record = reader.next())
      if (record.id === eventId) return fromEventRecord(record);
  }
  return undefined;
}
