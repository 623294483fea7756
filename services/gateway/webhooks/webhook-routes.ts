import { Type } from "#kit/schema/shape.ts";
import { DELIVERY_STATES } from "#ports/webhooks/webhook.ts";
import { DELIVERY_PAGE_CHARACTERS } from "#ports/webhooks/webhook-outbox.ts";
import type { RouteDeps } from "../deps.ts";
import { JSON_TYPE } from "../http/errors.ts";
import { callerOf } from "../identity/authenticator.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";
import { WebhookDesk } from "./webhook-desk.ts";
import {
  DeliverySchema,
  NewWebhook,
  Rotation,
  toWireDelivery,
  toWireWebhook,
  WebhookChange,
  WebhookSchema,
  WebhookWithSecret,
} from "./wire-webhook.ts";

const DEFAULT_PAGE = 50;
const READ = { scope: "sessions:read", owner: "run-id" } as const;
const WRITE = { scope: "runs:write", owner: "run-id" } as const;
const TAG = ["webhooks"] as const;
/** A webhook with its apps, as record, value and text. */
const WEBHOOK_BYTES = 128 * 1024;
const webhookBytes = () => WEBHOOK_BYTES;
const MAX_PAGE = 100;

const WebhookParams = Type.Object({ webhookId: Type.String() });
const DeliveryParams = Type.Object({ webhookId: Type.String(), deliveryId: Type.String() });
const PageQuery = {
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
  pageToken: Type.Optional(Type.String()),
} as const;
const ListQuery = Type.Object(PageQuery);
const DeliveriesQuery = Type.Object({
  ...PageQuery,
  state: Type.Optional(Type.Enum([...DELIVERY_STATES], { description: "All states if absent." })),
});
const NEXT = { nextPageToken: Type.Optional(Type.String({ description: "Absent on the last page." })) } as const;
const WebhookPage = Type.Object({ webhooks: Type.Array(WebhookSchema), ...NEXT });
const DeliveryPage = Type.Object({ deliveries: Type.Array(DeliverySchema), ...NEXT });

/** Where the other operations of a webhook find its id. */
const WEBHOOK_ID = { webhookId: "/id" } as const;
const SETTING_ERRORS = ["INVALID_FIELD", "INVALID_IDENTIFIER"] as const;
const OF_ONE = ["WEBHOOKS_OFF", "WEBHOOK_NOT_FOUND"] as const;

/** Webhooks: they are set up, changed and tested, and their deliveries are read and replayed. */
export function webhookRoutes(deps: RouteDeps): TypedRoutes {
  const desk = new WebhookDesk(deps);
  return async (app) => {
    app.post(
      "/v1/webhooks",
      {
        schema: described({
          operationId: "createWebhook",
          answer: webhookBytes,
          access: { scope: "runs:write", owner: "body-user" },
          tags: TAG,
          summary: "Report what runs do to an address, in the Standard Webhooks form",
          description:
            "The answer has the secret, once. Without `userId` the webhook reports all users of the tenant. One that an API key made is turned off once the key is revoked.",
          errors: ["WEBHOOKS_OFF", "TOO_MANY_WEBHOOKS", ...SETTING_ERRORS],
          body: NewWebhook,
          example: {
            url: "https://hooks.example.com/fairlead",
            apps: ["weather"],
            events: ["run.succeeded", "run.failed"],
            userId: "me",
          },
          response: answers({ 201: WebhookWithSecret }),
          links: {
            readWebhook: WEBHOOK_ID,
            updateWebhook: WEBHOOK_ID,
            deleteWebhook: WEBHOOK_ID,
            rotateWebhookSecret: WEBHOOK_ID,
            testWebhook: WEBHOOK_ID,
            listWebhookDeliveries: WEBHOOK_ID,
          },
        }),
      },
      async (request, reply) => {
        const made = await desk.create(request.body, callerOf(request).keyId);
        return reply.code(201).send({ ...toWireWebhook(made), secret: made.secret });
      },
    );

    app.get(
      "/v1/webhooks",
      {
        schema: described({
          operationId: "listWebhooks",
          answer: () => MAX_PAGE * WEBHOOK_BYTES,
          access: { scope: "sessions:read", owner: "query-user" },
          tags: TAG,
          summary: "List the webhooks that the caller may see",
          description: "A page may be short, or empty, although nextPageToken leads to more.",
          errors: ["WEBHOOKS_OFF", "INVALID_CURSOR"],
          querystring: ListQuery,
          response: answers({ 200: WebhookPage }),
        }),
      },
      async ({ query: { pageSize = DEFAULT_PAGE, pageToken } }) => {
        const { webhooks, nextPageToken } = await desk.store.list({ pageSize, pageToken });
        return { webhooks: webhooks.map(toWireWebhook), nextPageToken };
      },
    );

    app.get(
      "/v1/webhooks/:webhookId",
      {
        schema: described({
          operationId: "readWebhook",
          answer: webhookBytes,
          access: READ,
          tags: TAG,
          summary: "Read a webhook",
          errors: OF_ONE,
          params: WebhookParams,
          response: answers({ 200: WebhookSchema }),
        }),
      },
      async ({ params }) => toWireWebhook(await desk.find(params.webhookId)),
    );

    app.patch(
      "/v1/webhooks/:webhookId",
      {
        schema: described({
          operationId: "updateWebhook",
          answer: webhookBytes,
          access: WRITE,
          tags: TAG,
          summary: "Change a webhook, or turn it off and on",
          description: "Absent members stay as they are. Messages that wait while it is off are dead.",
          errors: [...OF_ONE, "WEBHOOK_OF_APP", ...SETTING_ERRORS],
          params: WebhookParams,
          body: WebhookChange,
          example: { events: ["run.failed"] },
          response: answers({ 200: WebhookSchema }),
        }),
      },
      async (request) => {
        const { params, body } = request;
        return toWireWebhook(await desk.change(params.webhookId, body, callerOf(request).keyId));
      },
    );

    app.delete(
      "/v1/webhooks/:webhookId",
      {
        schema: described({
          operationId: "deleteWebhook",
          answer: "small",
          access: WRITE,
          tags: TAG,
          summary: "Delete a webhook with its messages",
          errors: [...OF_ONE, "WEBHOOK_OF_APP"],
          params: WebhookParams,
          response: answers({ 200: Type.Null() }),
        }),
      },
      async ({ params }, reply) => {
        await desk.delete(params.webhookId);
        return reply.type(JSON_TYPE).send("null");
      },
    );

    app.post(
      "/v1/webhooks/:webhookId/rotate",
      {
        schema: described({
          operationId: "rotateWebhookSecret",
          answer: webhookBytes,
          access: WRITE,
          tags: TAG,
          summary: "Replace the secret; messages have two signatures for a day",
          errors: [...OF_ONE, "WEBHOOK_OF_APP", "INVALID_FIELD"],
          params: WebhookParams,
          body: Rotation,
          example: { overlapSeconds: 3600 },
          response: answers({ 200: WebhookWithSecret }),
        }),
      },
      async ({ params, body }) => {
        const webhook = await desk.rotate(params.webhookId, body);
        return { ...toWireWebhook(webhook), secret: webhook.secret };
      },
    );

    app.post(
      "/v1/webhooks/:webhookId/test",
      {
        schema: described({
          operationId: "testWebhook",
          answer: webhookBytes,
          access: WRITE,
          tags: TAG,
          summary: "Send a message of the type webhook.test",
          description: "Its outcome is among the deliveries.",
          errors: OF_ONE,
          params: WebhookParams,
          response: answers({ 202: DeliverySchema }),
          links: { replayWebhookDelivery: { webhookId: "/webhookId", deliveryId: "/id" } },
        }),
      },
      async (request, reply) => {
        const delivery = await desk.test(request.params.webhookId, callerOf(request).userId ?? "");
        return reply.code(202).send(toWireDelivery(delivery));
      },
    );

    app.get(
      "/v1/webhooks/:webhookId/deliveries",
      {
        schema: described({
          operationId: "listWebhookDeliveries",
          answer: () => 3 * DELIVERY_PAGE_CHARACTERS + WEBHOOK_BYTES,
          access: READ,
          tags: TAG,
          summary: "List the messages of a webhook and what became of them, newest first",
          description: "They are kept for a week. A page may be short, or empty, although nextPageToken leads to more.",
          errors: [...OF_ONE, "INVALID_CURSOR"],
          params: WebhookParams,
          querystring: DeliveriesQuery,
          response: answers({ 200: DeliveryPage }),
        }),
      },
      async ({ params: { webhookId }, query: { pageSize = DEFAULT_PAGE, ...query } }) => {
        const { tenantId } = await desk.find(webhookId);
        const { deliveries, nextPageToken } = await desk.store.listDeliveries({
          tenantId,
          webhookId,
          pageSize,
          ...query,
        });
        return { deliveries: deliveries.map(toWireDelivery), nextPageToken };
      },
    );

    app.post(
      "/v1/webhooks/:webhookId/deliveries/:deliveryId/replay",
      {
        schema: described({
          operationId: "replayWebhookDelivery",
          answer: webhookBytes,
          access: WRITE,
          tags: TAG,
          summary: "Send a message again, under the same id",
          errors: [...OF_ONE, "DELIVERY_NOT_FOUND"],
          params: DeliveryParams,
          response: answers({ 202: DeliverySchema }),
        }),
      },
      async ({ params: { webhookId, deliveryId } }, reply) =>
        reply.code(202).send(toWireDelivery(await desk.replay(webhookId, deliveryId))),
    );
  };
}
