import type { Requirement } from "#test/requirements/requirement.ts";

/** Reports of what runs do, to other servers. */
export const webhooks: readonly Requirement[] = [
  {
    id: "webhooks:form",
    status: "verified",
    text: "Messages have the Standard Webhooks form: an id that stays the same, a time, and a signature that its own library verifies; two signatures while a secret is replaced.",
  },
  {
    id: "webhooks:durable",
    status: "verified",
    text: "A run that a webhook wants to hear of is noted before it starts, and forgotten when its end is among the messages: no process that is lost loses an end. Where no webhook wants to hear of an app's runs, a run costs no write and no call more.",
  },
  {
    id: "webhooks:schedules",
    status: "verified",
    text: "Ticks of schedules that start no run are reported: those that were skipped, and those that were missed together.",
  },
  {
    id: "webhooks:order",
    status: "verified",
    text: "The messages of one webhook and session are sent one after the other, in the order of the events, by one gateway at a time. Each arrives at least once.",
  },
  {
    id: "webhooks:retries",
    status: "verified",
    text: "A message that fails is sent again after 5 seconds to 24 hours, ten times within about three days, and is dead then. A receiver that answers 410 turns its webhook off. Messages of the last week can be replayed.",
  },
  {
    id: "webhooks:receivers",
    status: "verified",
    text: "Messages go through the guard of addresses, follow no redirect and take 15 seconds at most; of an answer, 1,024 characters are kept. A slow receiver holds up its own messages alone.",
  },
  {
    id: "webhooks:access",
    status: "verified",
    text: "A webhook reports only runs that its maker may read: one of another user, app or tenant is like one that does not exist, and none can be changed to report more. Once its API key is revoked, it is turned off.",
  },
  {
    id: "webhooks:limits",
    status: "verified",
    text: "A tenant has at most MAX_WEBHOOKS_PER_TENANT webhooks, and at most 1,000 messages of one webhook and session wait.",
  },
  {
    id: "webhooks:data",
    status: "verified",
    text: "The export of a tenant or a user has its webhooks, without secrets; the deletion removes them, and all messages about the user.",
  },
  {
    id: "webhooks:calls",
    status: "verified",
    text: "`/v1/webhooks` creates, lists, reads, changes, tests and deletes webhooks, replaces their secrets, and lists and replays their messages, in all stores of rows; without WEBHOOKS it answers WEBHOOKS_OFF.",
  },
  {
    id: "webhooks:evaluations",
    status: "verified",
    text: "`evaluation.finished` reports the end of an evaluation, with its status and counts. The job is noted before it starts, so that its end is reported whichever process is lost.",
  },
  {
    id: "webhooks:apps",
    status: "verified",
    text: "The webhooks of an app's definition are kept in the store: created, changed and deleted with it, while one that is off stays off. Definitions name their secrets, which are in a file of the server; a wrong address or a missing secret changes nothing and is in the log.",
  },
];
