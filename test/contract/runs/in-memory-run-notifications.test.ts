import { describe } from "vitest";
import { InMemoryRunNotifications } from "#ports/runs/run-notifications.ts";
import { runNotificationsContract } from "./run-notifications.ts";

describe("InMemoryRunNotifications", () => {
  runNotificationsContract({
    create: async () => {
      const notifications = new InMemoryRunNotifications();
      return { ends: [notifications, notifications], settle: async () => {}, dispose: async () => {} };
    },
  });
});
