import { settingsOf } from "#shared/config/config-schema.ts";
import type { SettingsSection } from "./configuration-page.ts";

interface ServiceText {
  readonly name: string;
  readonly owns: string;
  readonly calls: string;
  readonly needs: string;
  readonly without: string;
}

const SERVICES: readonly ServiceText[] = [
  {
    name: "gateway",
    owns: "the HTTP interface: the API, server-sent events, OpenAPI and the developer UI. It keeps nothing, so any number of them may run.",
    calls:
      "Runner (start and cancel runs, list apps) and session (sessions, records of runs) for nearly everything; artifact, memory and eval for their own routes; Redis for the streams of runs and for traces.",
    needs: "a ready runner and session service, and Redis has answered once.",
    without: "Clients resume their streams at another gateway.",
  },
  {
    name: "runner",
    owns: "the execution of runs: it loads the agents, calls models and tools, and publishes what runs emit. Several of them share the work; a queued run waits in the runner that accepted it.",
    calls:
      "Session (leases, events, records of runs); artifact and memory when an agent uses them; Redis to publish; the models and tools of your agents.",
    needs: "a ready session service and the folder of agents, and Redis has answered once.",
    without: "Nothing can be run; sessions can be read.",
  },
  {
    name: "session",
    owns: "sessions, their events and state, the records of runs and the leases on sessions. It alone writes them.",
    calls: "Its store, and no other service.",
    needs: "its store: SQLite (one process), Firestore (any number) or memory (for trying things out).",
    without: "Nothing can be read or run. Active runs repeat their writes until their leases expire.",
  },
  {
    name: "artifact",
    owns: "artifacts and their versions, and large data of events.",
    calls: "Its store, and no other service.",
    needs: "its store: files (one process), a Cloud Storage bucket (any number) or memory.",
    without: "Requests and tools that use artifacts fail; everything else works.",
  },
  {
    name: "memory",
    owns: "what agents remember of their users beyond one session.",
    calls: "Its store, and no other service.",
    needs: "its store.",
    without: "Tools that search memory fail; everything else works.",
  },
  {
    name: "eval",
    owns: "evaluation sets, cases and results, and the execution of evaluations: jobs with leases, the answers of judges.",
    calls:
      "Its store; for evaluations runner (start and cancel runs), session (create their sessions, read events and runs, get grants), artifact (large data of their messages), and the models of `EVAL_JUDGE_MODELS`.",
    needs: "its store. Evaluations wait while the services that they need are unavailable.",
    without:
      "The routes of evaluation fail; everything else works. Evaluations are continued by another process of the service, or when it is back.",
  },
];

const HEAD = `# Services

For operators of a platform: look up what each service owns, calls and needs.

The platform is six processes that call each other over gRPC. \`npm run platform\` starts them all on this machine; each also starts by
itself with \`npx fairlead <name>\` and settings from the environment, and all problems of the settings are reported
together.

- **Order does not matter.** A process that cannot reach another one stays alive and keeps trying. It is live (\`/health\`, gRPC
  health of the service \`""\`) as long as it answers, and ready (\`/ready\`, gRPC health of the service \`ready\`) when what
  it needs is. \`/ready\` names what is missing: \`{"status":"not ready","notReady":["session"]}\`. A gateway that was ready stays so
  when a service is lost, and answers 503: something in front of it would answer in another form.
- **Ports.** The gateway has all of HTTP on \`PORT\`. The others answer gRPC on \`GRPC_PORT\`, and \`/health\`, \`/ready\` and
  \`/metrics\` on \`ADMIN_PORT\`. Every port binds loopback by default.
- **Ending.** SIGTERM makes a process not ready immediately. It still serves for \`SHUTDOWN_GRACE_MS\`, then accepts nothing new,
  gives active work \`SHUTDOWN_DRAIN_MS\`, ends what is left in good order and exits with 0.
- **Without Redis** runs continue and answer. Their streams then have no partial events, only complete ones, which come from
  the session service. A gateway or runner that has not reached it since its start is not ready, as its settings may be wrong.
`;

/** What each service is for, and which settings it reads. */
export function servicesPage(sections: readonly SettingsSection[]): string {
  return HEAD + SERVICES.map(formatService).join("") + formatSettings(sections);
}

function formatService({ name, owns, calls, needs, without }: ServiceText): string {
  return `
## ${name}

| question | answer |
| --- | --- |
| What does it own? | ${capitalised(owns)} |
| What does it call? | ${capitalised(calls)} |
| When is it ready? | When it has ${needs} |
| What happens while it is unavailable? | ${without} |
`;
}

/** A row for each setting, with a mark in the column of each service that reads it. */
function formatSettings(sections: readonly SettingsSection[]): string {
  const services = SERVICES.map(({ name }) => {
    const schema = sections.find(({ title }) => title === name)?.schema;
    return new Map(schema === undefined ? [] : settingsOf(schema).map((setting) => [setting.name, setting.required]));
  });
  const names = [...new Set(services.flatMap((settings) => [...settings.keys()]))];
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  const rows = names.map((name) => row([`\`${name}\``, ...services.map((settings) => markOf(settings.get(name)))]));
  const heads = ["setting", ...SERVICES.map(({ name }) => name)];
  return `
## Settings

Which service reads which setting: *yes*, or **must** if it does not start without a value. [configuration.md](configuration.md)
describes each.

${row(heads)}${row(heads.map(() => "---"))}${rows.join("")}`;
}

function markOf(required: boolean | undefined): string {
  if (required === undefined) return "";
  return required ? "**must**" : "yes";
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
