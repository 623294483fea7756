import type { Requirement } from "#test/requirements/requirement.ts";

export const quotas: readonly Requirement[] = [
  {
    id: "quotas:requests",
    line: 319,
    status: "verified",
    text: "Quotas of requests are left open.",
    decided: "None without QUOTAS_FILE. With it, requests a minute by API key, user, app and tenant, counted before the body is read; more are refused with 429 QUOTA_EXCEEDED, Retry-After, and the fields RateLimit and RateLimit-Policy.",
  },
  { id: "quotas:own", line: 319, status: "verified", text: "Whose quota a request uses is left open.", decided: "The caller's own, whichever user the request names. A request that is refused for its credentials uses none." },
  { id: "quotas:streams", line: 319, status: "verified", text: "Quotas of open streams are left open.", decided: "None without QUOTAS_FILE. With it, streams over all processes; a stream's place is free when it ends, and that of a lost process after 30 s." },
  {
    id: "quotas:budgets",
    line: 319,
    status: "verified",
    text: "Budgets of tokens and money are left open.",
    decided: "None without QUOTAS_FILE. With it, tokens and USD a day and a month of UTC. A part is reserved before each call of a model and settled by what the call used; a call without room ends its run as failed with QUOTA_EXCEEDED, and a run whose budget is used up is refused with 429.",
  },
  { id: "quotas:unavailable", line: 319, status: "verified", text: "What happens while quotas cannot be counted is left open.", decided: "Requests, streams and runs are allowed, calls of models under a budget refused; `whenUnavailable` decides otherwise." },
  { id: "quotas:lost-runner", line: 319, status: "gated", text: "What happens to the reservations of a lost runner is left open.", decided: "They end after 30 s." },
  { id: "quotas:usage", line: 319, status: "verified", text: "How a caller reads what it has used is left open.", decided: "`GET /v1/usage`: each limit of the caller's key and user with what is used, reserved and left, and the reset; of any user, app and the tenant for callers with the scope `users:all`." },
  { id: "quotas:runs", line: 319, status: "verified", text: "Quotas of concurrent runs are left open.", decided: "None without QUOTAS_FILE. With it, runs over all processes by API key, user, app and tenant, counted like MAX_CONCURRENT_RUNS_PER_APP." },
];
