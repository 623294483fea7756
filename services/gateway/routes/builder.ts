import { fastifyMultipart } from "@fastify/multipart";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { Type } from "#shared/type.ts";
import type { AgentFiles, GatewayDeps } from "../deps.ts";
import { InvalidRequestError, JSON_TYPE } from "../errors.ts";

const AppParams = Type.Object({ appName: Type.String() });
const SaveQuery = Type.Object({
  tmp: Type.Optional(Type.Boolean({ description: "Keep the files as a draft beside the app." })),
});
const ReadQuery = Type.Object({
  ...SaveQuery.properties,
  file_path: Type.Optional(Type.String()),
  ts: Type.Optional(Type.String()),
});

const NEW_PATH = "/dev/apps/:appName/builder";
const MAX_FILES = 100;
const MAX_FILE_BYTES = 1024 * 1024;

/** The YAML editor of the developer UI: reads and writes an app's definition files, where the loader keeps such files. */
export function builderRoutes({ builder }: Pick<GatewayDeps, "builder">): FastifyPluginAsyncTypebox {
  return async (app) => {
    for (const path of [NEW_PATH, "/builder/app/:appName"]) {
      app.get(
        path,
        {
          schema: {
            tags: ["builder"],
            summary: "Read a definition file; empty when there is none",
            params: AppParams,
            querystring: ReadQuery,
          },
        },
        async ({ params: { appName }, query: { file_path: filePath, tmp = false } }, reply) => {
          const text = await builder?.read(appName, { temporary: tmp, ...(filePath !== undefined && { filePath }) });
          reply
            .header("cache-control", "no-store")
            .type(text === undefined ? "text/plain; charset=utf-8" : "application/x-yaml; charset=utf-8");
          return reply.send(text ?? "");
        },
      );
    }

    const editor = builder ?? NO_EDITOR;
    // Before the body is looked at: whatever its type, there is nothing to write it to.
    const onRequest = builder === undefined ? [async () => refuse()] : [];
    await app.register(fastifyMultipart, {
      preservePath: true,
      limits: { files: MAX_FILES, fileSize: MAX_FILE_BYTES, fields: MAX_FILES },
    });

    for (const path of [`${NEW_PATH}/save`, "/builder/save"]) {
      app.post(
        path,
        {
          onRequest,
          schema: {
            tags: ["builder"],
            summary: "Save definition files",
            description: "multipart/form-data; each part `files` has a file name of the form {app}/{path}.yaml.",
            querystring: SaveQuery,
            response: { 200: Type.Boolean() },
          },
        },
        async (request, reply) => {
          // The old path names the app in the file names only.
          const { appName } = request.params as { readonly appName?: string };
          const upload = await readUpload(request, appName);
          return sendJson(
            reply,
            await editor.save(upload.appName, upload.files, { temporary: request.query.tmp ?? false }),
          );
        },
      );
    }

    for (const path of [`${NEW_PATH}/cancel`, "/builder/app/:appName/cancel"]) {
      app.post(
        path,
        {
          onRequest,
          schema: {
            tags: ["builder"],
            summary: "Drop the draft",
            params: AppParams,
            response: { 200: Type.Boolean() },
          },
        },
        async ({ params }, reply) => sendJson(reply, await editor.cancel(params.appName)),
      );
    }
  };
}

function refuse(): never {
  throw new PlatformError("NOT_IMPLEMENTED", "The apps of this server do not come from YAML files that it may edit.");
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
  for await (const part of request.files()) {
    const { folder, path } = splitName(part.filename);
    appName ??= folder;
    if (folder !== appName) throw invalidFile(part.filename, `Every file name should start with ${appName}/`);
    files.set(path, decode(await part.toBuffer(), part.filename));
  }
  if (appName === undefined || files.size === 0) throw invalidFile("", "Send at least one part named files");
  return { appName, files };
}

function splitName(filename: string): { readonly folder: string; readonly path: string } {
  const at = filename.indexOf("/");
  const path = filename.slice(at + 1);
  if (at < 1 || path === "") throw invalidFile(filename, "The file name should have the form {app}/{path}.yaml");
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
