import { LlmAgent } from "./agents/llm-agent.ts";
import { createApp } from "./agents/app.ts";
import { Runner } from "./runner/runner.ts";
import { InMemorySessionStore } from "./sessions/in-memory-session-store.ts";
import { systemClock } from "./platform/clock.ts";
import { UuidV7Generator } from "./platform/id-generator.ts";
const m2 = { model: "m", async *generateContentAsync(_r: any, o: any) { if (o.stream) { for (let i = 0; i < 100; i++) yield { content: { role: "model", parts: [{ text: "xxxxxxxxxxxxxxxxxxxx" }] }, partial: true }; } yield { content: { role: "model", parts: [{ text: "x" }] } }; } };
const store = new InMemorySessionStore({ clock: systemClock, ids: new UuidV7Generator() });
const r2 = new Runner({ app: createApp({ name: "b", rootAgent: new LlmAgent({ name: "root", model: m2, instruction: "hi" }) }), journal: store, sessionService: store });
const N = 40000;
for (let i = 0; i < N / 4; i++) await store.createSession({ appName: "b", userId: "u", id: "s" + i });
const one = async (w: number) => { for (let i = w; i < N / 4; i += 50) for (let k = 0; k < 4; k++) {
  const b = await r2.beginRun({ session: { appName: "b", userId: "u", id: "s" + i }, request: { newMessage: { parts: [{ text: "hi" }] } } });
  if (b.kind !== "started") throw new Error(b.kind);
  const ex = r2.executeRun(b.run); while (!(await ex.next()).done); } };
let c = process.cpuUsage();
await Promise.all(Array.from({ length: 50 }, (_, w) => one(w)));
let d = process.cpuUsage(c); console.log("turn cpu us", (d.user + d.system) / N);
c = process.cpuUsage(); let n = 0;
await Promise.all(Array.from({ length: 50 }, async (_, w) => { for (let k = 0; k < 20; k++) {
  const b = await r2.beginRun({ session: { appName: "b", userId: "u", id: "s" + (w * 20 + k) }, request: { streaming: true, newMessage: { parts: [{ text: "hi" }] } } });
  if (b.kind !== "started") throw new Error(b.kind);
  const ex = r2.executeRun(b.run); for (;;) { const s = await ex.next(); if (s.done) break; n += s.value.length; for (const e of s.value) if (!e.stored) JSON.stringify(e.event); } } }));
d = process.cpuUsage(c); console.log("event cpu us", (d.user + d.system) / n, n);
