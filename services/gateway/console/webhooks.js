import { changeWebhook, listWebhooks, testWebhook } from "./api.js";
import { DeliveryList } from "./delivery-list.js";
import { element, time } from "./format.js";
import { CardPage } from "./page.js";

const REASONS = {
  gone: "its receiver answered 410",
  key_revoked: "the API key that made it was revoked",
};

const page = new CardPage({
  filters: {},
  pageSize: 50,
  most: 500,
  read: async (query, signal) => {
    const { webhooks, nextPageToken } = await listWebhooks(query, signal);
    return { items: webhooks, nextPageToken };
  },
  card: (webhook, known) => cardOf(webhook, known),
  tick: ({ deliveries }) => deliveries.tick(),
});

/** The card of the same webhook stays, with the deliveries that it shows. */
function cardOf(webhook, known) {
  const text = JSON.stringify(webhook);
  if (known?.text === text) return known;
  const card = known ?? { root: element("li"), head: element("div"), deliveries: new DeliveryList(webhook.id) };
  if (known === undefined) card.root.append(card.head, card.deliveries.root);
  const { id, name, url, enabled, disabledReason } = webhook;
  const state = element(
    "span",
    { class: "status", "data-status": enabled ? "succeeded" : "failed" },
    enabled ? "on" : "off",
  );
  const why = REASONS[disabledReason] ?? disabledReason;
  const change = enabled
    ? page.button("Turn off", () => turnOff(id), { class: "danger", said: "Turned off." })
    : page.button("Turn on", () => changeWebhook(id, { enabled: true }), { said: "Turned on." });
  const test = page.button(
    "Send a test",
    async () => {
      await testWebhook(id);
      card.deliveries.open();
    },
    { said: "A test is among the messages." },
  );
  card.head.replaceChildren(
    element("div", { class: "bar" }, element("h3", {}, name ?? url), state),
    ...(name === undefined ? [] : [element("p", { class: "quiet-text" }, url)]),
    ...(why === undefined ? [] : [element("p", { class: "problem" }, `The server has turned it off: ${why}.`)]),
    element("p", { class: "quiet-text" }, aboutOf(webhook)),
    element("p", { class: "actions" }, change, test),
  );
  return Object.assign(card, { text });
}

function turnOff(id) {
  const isSure = confirm("Turn this webhook off? Messages that wait are given up; they can be sent again.");
  return isSure ? changeWebhook(id, { enabled: false }) : false;
}

function aboutOf({ events, apps, userId, createdTime }) {
  const parts = [
    events.join(", "),
    apps === undefined ? "all apps" : `apps ${apps.join(", ")}`,
    userId === undefined ? "all users" : `user ${userId}`,
    `made ${time(createdTime)}`,
  ];
  return parts.join(" · ");
}
