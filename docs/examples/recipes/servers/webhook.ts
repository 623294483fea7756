import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

// The server: WEBHOOKS=memory OUTBOUND_ALLOWED_HOSTS=127.0.0.1 npx fairlead serve agents
const { FAIRLEAD_URL = "http://localhost:8000", APP = "weather" } = process.env;

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(FAIRLEAD_URL + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  // The shapes are in the server's OpenAPI description.
  return (await response.json()) as Answer;
}

let secret = "";
const received = Promise.withResolvers<string>();
const receiver = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signature } = request.headers;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = `v1,${createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64")}`;
  const isRight = timingSafeEqual(Buffer.from(expected), Buffer.from(String(signature).padEnd(expected.length)));
  response.writeHead(isRight ? 204 : 401).end();
  if (isRight) received.resolve(body);
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const address = receiver.address();
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;

const events = ["run.succeeded"];
({ secret } = await post<{ secret: string }>("/v1/webhooks", { url, apps: [APP], events }));
const session = await post<{ id: string }>(`/apps/${APP}/users/me/sessions`, {});
const newMessage = { role: "user", parts: [{ text: "What is the weather in Paris?" }] };
const { runId } = await post<{ runId: string }>("/v1/runs", {
  ...{ appName: APP, userId: "me", sessionId: session.id, newMessage },
});
const message = JSON.parse(await received.promise);
console.log(message.type, message.data.runId === runId);
receiver.close();
receiver.closeAllConnections();
