export { type AutomationClient, createAutomationClient } from "./automation-client.ts";
export type {
  ListSchedulesOptions,
  NewSchedule,
  ScheduleCalls,
  ScheduleChange,
  ScheduleData,
  SchedulePage,
  TickData,
} from "./schedule-calls.ts";
export type {
  DeliveryData,
  DeliveryPage,
  ListDeliveriesOptions,
  ListWebhooksOptions,
  NewWebhook,
  RotateOptions,
  WebhookCalls,
  WebhookChange,
  WebhookData,
  WebhookPage,
  WebhookWithSecret,
} from "./webhook-calls.ts";
