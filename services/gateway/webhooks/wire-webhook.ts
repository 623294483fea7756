import { WEBHOOK_EVENTS } from "#kit/core/app-settings/app-webhooks.ts";
import { type Shape, type Static, Type } from "#kit/schema/shape.ts";
import { DELIVERY_STATES, type Webhook, type WebhookDelivery } from "#ports/webhooks/webhook.ts";

const Nullable = <Value>(shape: Shape<Value>) => Type.Optional(Type.Union([shape, Type.Null()]));

const Settings = {
  name: Nullable(Type.String({ description: "What the webhook is for, in at most 200 characters." })),
  events: Nullable(Type.Array(Type.Enum([...WEBHOOK_EVENTS]), { description: "The types to send; all if absent." })),
  apps: Nullable(Type.Array(Type.String(), { description: "The apps to hear of; all if absent." })),
  userId: Nullable(
    Type.String({ description: "The user to hear of; all users of the tenant if absent, for callers who reach them." }),
  ),
  enabled: Nullable(Type.Boolean({ description: "False: nothing is sent. True if absent." })),
} as const;

const URL_FIELD = Type.String({
  description: "Where messages are posted, such as https://hooks.example.com/fairlead.",
});

export const NewWebhook = Type.Object({
  url: URL_FIELD,
  secret: Nullable(
    Type.String({ description: "`whsec_` and the base64 of 24 to 64 bytes; the server makes one if absent." }),
  ),
  ...Settings,
});
export type NewWebhook = Static<typeof NewWebhook>;

/** Absent members stay as they are. */
export const WebhookChange = Type.Object({ url: Type.Optional(URL_FIELD), ...Settings });
export type WebhookChange = Static<typeof WebhookChange>;

export const Rotation = Type.Object({
  secret: Nullable(Type.String({ description: "The new secret; the server makes one if absent." })),
  overlapSeconds: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 7 * 24 * 60 * 60,
      description: "How long messages also have a signature of the former secret; 86,400 if absent.",
    }),
  ),
});
export type Rotation = Static<typeof Rotation>;

const WEBHOOK = {
  id: Type.String(),
  url: Type.String(),
  name: Type.Optional(Type.String()),
  source: Type.Enum(["user", "app"], { description: "`app`: the app's definition has it." }),
  events: Type.Array(Type.Enum([...WEBHOOK_EVENTS])),
  apps: Type.Optional(Type.Array(Type.String())),
  userId: Type.Optional(Type.String()),
  enabled: Type.Boolean(),
  disabledReason: Type.Optional(
    Type.String({ description: "Why the server turned it off: `gone` (its receiver answered 410) or `key_revoked`." }),
  ),
  createdTime: Type.Integer({ description: "Milliseconds since the epoch, as all times here." }),
  updatedTime: Type.Integer(),
} as const;

export const WebhookSchema = Type.Object(WEBHOOK);
export type WireWebhook = Static<typeof WebhookSchema>;
export const WebhookWithSecret = Type.Object({
  ...WEBHOOK,
  secret: Type.String({ description: "Shown this once: receivers verify signatures with it." }),
});

export const DeliverySchema = Type.Object({
  id: Type.String({ description: "The header `webhook-id` of the message, the same for each attempt." }),
  webhookId: Type.String(),
  type: Type.String(),
  appName: Type.String(),
  userId: Type.String(),
  sessionId: Type.String(),
  state: Type.Enum([...DELIVERY_STATES], {
    description: "`waiting`: to be sent, or to be sent again. `dead`: given up; it can be replayed.",
  }),
  attempts: Type.Integer(),
  createdTime: Type.Integer(),
  lastTime: Type.Optional(Type.Integer({ description: "When the last attempt was." })),
  nextTime: Type.Optional(Type.Integer({ description: "When the next attempt is." })),
  status: Type.Optional(Type.Integer({ description: "The status of the receiver's last answer." })),
  problem: Type.Optional(Type.String({ description: "Why it did not arrive." })),
  answer: Type.Optional(Type.String({ description: "The first 1,024 characters of the receiver's last answer." })),
  payload: Type.Json({ description: "The JSON that is sent." }),
});
export type WireDelivery = Static<typeof DeliverySchema>;

export function toWireWebhook(webhook: Webhook): WireWebhook {
  const { id, url, name, source, events, apps, userId, enabled, disabledReason, createdMs, updatedMs } = webhook;
  const times = { createdTime: createdMs, updatedTime: updatedMs };
  return { id, url, name, source, events, apps, userId, enabled, disabledReason, ...times };
}

export function toWireDelivery(delivery: WebhookDelivery): WireDelivery {
  const { id, webhookId, type, session, state, attempts, createdMs, lastMs, nextMs, body } = delivery;
  const { status, problem, answer } = delivery;
  return {
    ...{
      id,
      webhookId,
      type,
      appName: session.appName,
      userId: session.userId,
      sessionId: session.id,
      state,
      attempts,
    },
    ...{ createdTime: createdMs, lastTime: lastMs, nextTime: nextMs, status, problem, answer },
    payload: JSON.parse(body),
  };
}
