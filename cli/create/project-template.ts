import { EVAL_CONFIG, evalSetFile, type Files, json, type ProjectNames, type Template } from "./templates/template.ts";

/** The versions of the tools that a project is checked and tested with. */
export const DEV_DEPENDENCIES: Readonly<Record<string, string>> = {
  "@types/node": "^26.6.6",
  typescript: "^7.0.2",
  vitest: "^5.1.1",
};

/** All files of a project, by path. */
export function projectFiles(names: ProjectNames, template: Template): Files {
  const { name } = names;
  const { cases } = template;
  const agent: Files = {
    ...template.files(name),
    ...(cases !== undefined && {
      "conversations.evalset.json": evalSetFile("conversations", cases),
      "test_config.json": EVAL_CONFIG,
    }),
  };
  return {
    "package.json": json(packageJson(names, template)),
    "tsconfig.json": json(TSCONFIG),
    ".gitignore": GITIGNORE,
    ".env.example": ENV_EXAMPLE,
    "README.md": readme(name, template),
    ...Object.fromEntries(Object.entries(agent).map(([file, text]) => [`agents/${name}/${file}`, text])),
  };
}

const GITIGNORE = `node_modules/
# Sessions, artifacts and memory of the server.
.data/
# Drafts of the developer UI's editor.
.draft/
# Keys.
.env
`;

const ENV_EXAMPLE = `# Copy this file to .env, which Git ignores. "fairlead serve", "run" and "check" read it.
# A variable of the environment is used in preference to the one here.

# GOOGLE_API_KEY=
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=

# Any setting of "fairlead help settings":
# PORT=8000
`;

const TSCONFIG = {
  compilerOptions: {
    target: "esnext",
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ["agents"],
};

function packageJson({ name, version }: ProjectNames, { cases, dependencies }: Template): object {
  return {
    name: name.toLowerCase(),
    private: true,
    type: "module",
    scripts: {
      dev: "fairlead serve agents --watch --error-detail full",
      start: "fairlead serve agents --error-detail full",
      chat: "fairlead run agents",
      check: "tsc && fairlead check agents",
      test: "vitest run",
      ...(cases !== undefined && { eval: `fairlead eval agents/${name}` }),
    },
    dependencies: { ...dependencies, fairlead: `^${version}`, zod: "^4.0.0" },
    devDependencies: DEV_DEPENDENCIES,
  };
}

function readme(name: string, { about, firstMessage, then, sections = "", cases }: Template): string {
  const evaluation = cases === undefined ? "" : "| `npm run eval` | scores the agent on its evaluation set |\n";
  const message = JSON.stringify({ role: "user", parts: [{ text: firstMessage }] });
  return `# ${name}

${about} It runs on Fairlead. Every folder below \`agents/\` is an app; this project has one, \`agents/${name}\`.

\`\`\`bash
npm install
npm run dev      # the server with the developer UI; restarts when you change the agent
\`\`\`

Open the address that it prints, choose \`${name}\` and type "${firstMessage}": ${then}.

| command | what it does |
| --- | --- |
| \`npm run dev\` | serves the agents and restarts at each change |
| \`npm start\` | serves the agents |
| \`npm run chat\` | talks to the agent in the terminal |
| \`npm run check\` | checks types, and that every agent can be loaded |
| \`npm test\` | runs the tests, without a key |
${evaluation}
${sections}## Over HTTP

The server is an HTTP API too; \`/docs\` on it describes every route:

\`\`\`bash
curl -X POST localhost:8000/apps/${name}/users/me/sessions/first
curl -N localhost:8000/run_sse -H 'Content-Type: application/json' -d '{
  "appName": "${name}", "userId": "me", "sessionId": "first", "streaming": true,
  "newMessage": ${message}
}'
\`\`\`

## A real model

The project uses a demo model, a script that needs no key. Set another \`model\`, copy \`.env.example\` to \`.env\`, and set
the model's key there:

| model | variable | package to install |
| --- | --- | --- |
| \`gemini-3.8-flash\` | \`GOOGLE_API_KEY\` | none |
| \`gpt-6-luna\` | \`OPENAI_API_KEY\` | \`npm install openai\` |
| \`claude-sonnet-5-5\` | \`ANTHROPIC_API_KEY\` | \`npm install @anthropic-ai/sdk\` |

Git ignores \`.env\`, and \`.data\`, where the conversations are.
`;
}
