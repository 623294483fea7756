import type { Requirement } from "#test/requirements/requirement.ts";

export const authentication: readonly Requirement[] = [
  { id: "authentication:requests", line: 278, status: "pending", text: "Authentication of requests is left open.", decided: "none (loopback only unless forced), API keys (stored hashed), OIDC/JWT.", unbuilt: true },
  { id: "authentication:foreign-user", line: 278, status: "pending", text: "A request for another user's data is left open.", decided: "404, unless the principal may act for others.", unbuilt: true },
  {
    id: "authentication:access:declared",
    line: 278,
    status: "verified",
    text: "Which routes need which permission is left open.",
    decided: "Each route declares its scope and where its request names the owner of the data, or that it is public. The server does not start with a route that declares neither.",
  },
  { id: "authentication:cors-allow-credentials", line: 279, status: "verified", text: "CORS properties say whether credentials are allowed." },
  { id: "authentication:origin-check", line: 279, status: "verified", text: "Requests from pages of other sites are left open.", decided: "Refused with 403 unless their origin is configured, on every path, that of the live socket included." },
  { id: "authentication:origin-check:proxies", line: 279, status: "verified", text: "The origin that a server behind a proxy takes for its own is left open.", decided: "The one that `Forwarded` or `X-Forwarded-*` names: no page can send these without a preflight, which has none." },
  {
    id: "authentication:host-check",
    line: 279,
    status: "verified",
    text: "Requests under a foreign host name are left open.",
    decided: "Refused with 403 on every address: names of the loopback and those in ALLOWED_HOSTS count, and where HOST is no loopback address also IP addresses and names without a dot, which no page of another site can have.",
  },
  { id: "authentication:model:api-key", line: 280, status: "verified", text: "A model adapter accepts an API key." },
  { id: "authentication:model:credentials", line: 280, status: "verified", text: "A model adapter accepts a credentials object." },
  { id: "authentication:model:headers", line: 280, status: "verified", text: "A model adapter for a proxy accepts headers that go with every request." },
  {
    id: "authentication:model:own-endpoint",
    line: 280,
    status: "verified",
    text: "How several model adapters of one kind are kept apart is left open.",
    decided: "Each object has its own key, headers and address. One with its own `baseUrl` reads nothing from the environment. No secret is in its JSON, its inspection, its errors and their causes; a bad option is refused by name, without its value.",
  },
  {
    id: "authentication:model:registered",
    line: 280,
    status: "verified",
    text: "How a definition names a model object is left open.",
    decided: "By a name or a prefix that ends with `/` in the model registry, or as an instance of the component registry (`modelCode`).",
  },
  { id: "authentication:mcp:headers", line: 281, status: "pending", text: "An MCP connection accepts headers for credentials." },
  { id: "authentication:application-integration:service-account", line: 282, status: "pending", text: "The application-integration client makes credentials from the JSON of a service account.", names: ["getGoogleCredentials"] },
];
