// The server: SCHEDULES=memory npx fairlead serve agents
const { FAIRLEAD_URL = "http://localhost:8000", APP = "weather" } = process.env;

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(FAIRLEAD_URL + path, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  // The shapes are in the server's OpenAPI description.
  return (await response.json()) as Answer;
}

const schedule = await call<{ id: string; cron: string; timeZone: string }>("POST", "/v1/schedules", {
  ...{ appName: APP, userId: "newsroom", name: "Morning" },
  ...{ cron: "0 9 * * MON-FRI", timeZone: "Europe/Paris", text: "What is the weather in Paris?" },
});
console.log(`${schedule.cron} in ${schedule.timeZone}`);

// Do not wait for the morning.
const { runId } = await call<{ runId: string }>("POST", `/v1/schedules/${schedule.id}/trigger`, {});
const stream = await fetch(`${FAIRLEAD_URL}/v1/runs/${runId}/stream`);
console.log((await stream.text()).includes('"status":"succeeded"') ? "the run has succeeded" : "the run has failed");
