import { fastifyMultipart } from "@fastify/multipart";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#kit/schema/shape.ts";
import { EDITOR_LIMITS } from "#ports/editor/editor-limits.ts";
import type { AgentFiles, GatewayDeps } from "../deps.ts";
import { InvalidRequestError, JSON_TYPE } from "../http/errors.ts";
import { described } from "../openapi/route-description.ts";
import type { TypedRoutes } from "../requests/typed-routes.ts";
import { answers } from "../requests/wire-schemas.ts";

const AppParams = Type.Object({ appName: Type.String() });
const SaveQuery = Type.Object({
  tmp: Type.Optional(Type.Boolean({ description: "Keep the files as a draft beside the app." })),
});
const ReadQuery = Type.Object({
  ...SaveQuery.properties,
  file_path: Type.Optional(
    Type.String({ description: "The file, from the app's folder; the root agent's if absent." }),
  ),
  ts: Type.Optional(Type.String({ description: "Sent by the developer UI; ignored." })),
});

const UploadSchema = Type.Object({ files: Type.Array(Type.String({ format: "binary" })) });

const NEW_PATH = "/dev/apps/:appName/builder";
// The limits of an app.
const MAX_FILES = EDITOR_LIMITS.maxFilesPerApp;
const MAX_UPLOAD_BYTES = EDITOR_LIMITS.maxBytesPerApp;

type BuilderDeps = Pick<GatewayDeps, "builder" | "runnerService" | "logger">;

/**
 * The routes of the developer UI's YAML editor: they read and write an app's definition files, if the settings allow
 * it.
 */
export function builderRoutes({ builder, runnerService, logger }: BuilderDeps): TypedRoutes {
  const routes: TypedRoutes = async (app) => {
    for (const path of [NEW_PATH, "/builder/app/:appName"]) {
      app.get(
        path,
        {
          schema: described({
            operationId: "readDefinition",
            answer: "of-the-operator",
            access: { scope: "apps:edit", owner: "app" },
            tags: ["builder"],
            summary: "Read a definition file; empty when there is none",
            description:
              "In ADK's spelling (agent_class, sub_agents, config_path), with the class written out and paths from the app's folder. Empty too while AGENT_EDITOR is off.",
            params: AppParams,
            querystring: ReadQuery,
            parameterExamples: { appName: "travel_desk_yaml" },
            response: answers({ 200: Type.String() }),
            answerExamples: { "application/x-yaml": "name: travel_desk\nagent_class: LlmAgent\n" },
          }),
        },
        async ({ params: { appName }, query: { file_path: filePath, tmp = false } }, reply) => {
          const text = await builder?.read(appName, { temporary: tmp, filePath });
          reply
            .header("cache-control", "no-store")
            .type(text === undefined ? "text/plain; charset=utf-8" : "application/x-yaml; charset=utf-8");
          return reply.send(text ?? "");
        },
      );
    }

    const editor = builder ?? NO_EDITOR;
    // Refused before the body is read: no body can be written.
    const onRequest = builder === undefined ? [async () => refuse()] : [];
    // Without an editor no body is read.
    if (builder !== undefined)
      await app.register(fastifyMultipart, {
        preservePath: true,
        limits: { files: MAX_FILES, fileSize: EDITOR_LIMITS.maxFileBytes, fields: MAX_FILES },
      });

    // Listing the apps makes a runner scan its folder, so that the next list contains the saved app.
    const showToRunner = async (): Promise<void> => {
      try {
        await runnerService.listApps();
      } catch (error) {
        logger.warn({ error }, "A saved agent could not be shown to a runner, which finds it by itself.");
      }
    };

    for (const path of [`${NEW_PATH}/save`, "/builder/save"]) {
      app.post(
        path,
        {
          onRequest,
          schema: described({
            operationId: "saveDefinitions",
            answer: "small",
            access: { scope: "apps:edit", owner: "app" },
            tags: ["builder"],
            summary: "Save definition files",
            description:
              "multipart/form-data; each part `files` has a file name of the form {app}/{path}.yaml. An agent that the app has is changed where its file lies: fields that the upload leaves out stay, except description, model, instruction, sub_agents, tools and max_iterations. Fields that choose what an agent can reach are refused, unless the file has them already. GET /list-apps knows the app once this is answered, a draft of a new one too. Forms of browsers send no folder in a file's name, so this page does not send the request: use `curl -F 'files=@root_agent.yaml;filename=poet/root_agent.yaml'`.",
            errors: ["EDITOR_OFF", "INVALID_FIELD", "UNSUPPORTED_MEDIA_TYPE", "MALFORMED_REQUEST", "BODY_TOO_LARGE"],
            querystring: SaveQuery,
            parameterExamples: { appName: "poet", tmp: true },
            givenBody: UploadSchema,
            bodyType: "multipart/form-data",
            example: { files: ["name: poet\nmodel: demo/chat\ninstruction: Write a poem.\n"] },
            response: answers({ 200: Type.Boolean() }),
            canBeTried: false,
          }),
        },
        async (request, reply) => {
          // The old path has the app's name only in the file names.
          const { appName } = request.params as { readonly appName?: string };
          const upload = await readUpload(request, appName);
          const { tmp: temporary = false } = request.query;
          const isSaved = await editor.save(upload.appName, upload.files, { temporary });
          await showToRunner();
          return sendJson(reply, isSaved);
        },
      );
    }

    for (const path of [`${NEW_PATH}/cancel`, "/builder/app/:appName/cancel"]) {
      app.post(
        path,
        {
          onRequest,
          schema: described({
            operationId: "dropDraft",
            answer: "small",
            access: { scope: "apps:edit", owner: "app" },
            tags: ["builder"],
            summary: "Drop the draft",
            errors: ["EDITOR_OFF"],
            params: AppParams,
            parameterExamples: { appName: "poet" },
            response: answers({ 200: Type.Boolean() }),
          }),
        },
        async ({ params }, reply) => {
          const isDropped = await editor.cancel(params.appName);
          await showToRunner();
          return sendJson(reply, isDropped);
        },
      );
    }
  };
  if (builder === undefined) return routes;
  // As a plugin: the parser of forms is for these routes alone.
  return async (app) => {
    await app.register(routes);
  };
}

function refuse(): never {
  throw new PlatformError(
    "EDITOR_OFF",
    "The editor of YAML agents is off on this server. Set AGENT_EDITOR=true where the server listens on a loopback address (HOST).",
  );
}

const NO_EDITOR: AgentFiles = { read: async () => undefined, save: refuse, cancel: refuse };

interface Upload {
  readonly appName: string;
  readonly files: ReadonlyMap<string, string>;
}

async function readUpload(request: FastifyRequest, expectedApp: string | undefined): Promise<Upload> {
  if (!request.isMultipart())
    throw new PlatformError("UNSUPPORTED_MEDIA_TYPE", "Send the files as multipart/form-data.");
  const files = new Map<string, string>();
  let appName = expectedApp;
  let bytes = 0;
  for await (const part of partsOf(request)) {
    const { folder, path } = splitName(part.filename);
    appName ??= folder;
    if (folder !== appName) throw invalidFile(part.filename, `Every file name should start with ${appName}/`);
    const content = await part.toBuffer().catch((error: unknown) => {
      throw toFormError(error);
    });
    bytes += content.length;
    if (bytes > MAX_UPLOAD_BYTES)
      throw new PlatformError("BODY_TOO_LARGE", `The files are over ${MAX_UPLOAD_BYTES / 1024} KiB together.`);
    files.set(path, decode(content, part.filename));
  }
  if (appName === undefined || files.size === 0) throw invalidFile("", "Send at least one part named files");
  return { appName, files };
}

async function* partsOf(request: FastifyRequest): ReturnType<FastifyRequest["files"]> {
  try {
    yield* request.files();
  } catch (error) {
    throw toFormError(error);
  }
}

/** The parser of forms throws plain errors for an invalid form, which is the client's fault. */
function toFormError(error: unknown): unknown {
  if (error instanceof PlatformError || (error instanceof Error && "code" in error)) return error;
  return new PlatformError("MALFORMED_REQUEST", "The body is not valid multipart/form-data.", { cause: error });
}

/** The limit of file systems for one name, and a sufficient length of a path. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;

function splitName(filename: string): { readonly folder: string; readonly path: string } {
  const at = filename.indexOf("/");
  const path = filename.slice(at + 1);
  if (at < 1 || path === "") throw invalidFile(filename, "The file name should have the form {app}/{path}.yaml");
  const isTooLong = filename.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (isTooLong || Buffer.byteLength(filename) > MAX_PATH_BYTES)
    throw invalidFile(
      filename,
      `A file name should have at most ${MAX_NAME_BYTES} bytes, and a path ${MAX_PATH_BYTES}`,
    );
  if (!/\.ya?ml$/i.test(path)) throw invalidFile(filename, "Only .yaml and .yml files can be saved");
  return { folder: filename.slice(0, at), path };
}

function decode(bytes: Buffer, filename: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidFile(filename, "The file should be UTF-8 text");
  }
}

function invalidFile(filename: string, msg: string): InvalidRequestError {
  return new InvalidRequestError([{ type: "value_error", loc: ["body", "files"], msg, input: filename.slice(0, 200) }]);
}

function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply.type(JSON_TYPE).send(JSON.stringify(value));
}
