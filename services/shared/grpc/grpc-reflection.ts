import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ServiceDefinition, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { loadProto, PROTO_FOLDER } from "#adapters/grpc/channel/proto.ts";
import type { ServerReflectionRequest__Output } from "#proto/grpc/reflection/v1/ServerReflectionRequest.ts";
import type { ServerReflectionResponse } from "#proto/grpc/reflection/v1/ServerReflectionResponse.ts";
import type { GrpcHandlers } from "./grpc-handlers.ts";

/** A service and the functions that answer its calls. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

/** A proto file, as proto/generate.ts writes it. */
interface DescribedFile {
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly services: readonly string[];
  readonly symbols: readonly string[];
  /** A serialised google.protobuf.FileDescriptorProto, in base64. */
  readonly descriptor: string;
}

/** Reports a server's services, by full names, and their messages to development tools. */
export function reflectionService(serviceNames: () => readonly string[], handlers: GrpcHandlers): GrpcService {
  const { service: definition } = loadProto("reflection").grpc.reflection.v1.ServerReflection;
  const files = new DescribedFiles();
  return {
    definition,
    handlers: {
      ServerReflectionInfo: handlers.bidi(async function* (requests: AsyncIterable<ServerReflectionRequest__Output>) {
        for await (const request of requests)
          yield { validHost: request.host, originalRequest: request, ...answer(request, serviceNames, files) };
      }),
    },
  };
}

function answer(
  request: ServerReflectionRequest__Output,
  serviceNames: () => readonly string[],
  files: DescribedFiles,
): ServerReflectionResponse {
  switch (request.messageRequest) {
    case "listServices":
      return { listServicesResponse: { service: serviceNames().map((name) => ({ name })) } };
    case "fileByFilename":
      return fileAnswer(files.named(request.fileByFilename ?? ""));
    case "fileContainingSymbol":
      return fileAnswer(files.declaring(request.fileContainingSymbol ?? ""));
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.allExtensionNumbersOfType ?? "";
      if (files.declaring(baseTypeName) === undefined) return notFound("No such message is known here.");
      return { allExtensionNumbersResponse: { baseTypeName, extensionNumber: [] } };
    }
    case "fileContainingExtension":
      return notFound("The messages of this server have no extensions.");
    default:
      return failure(status.INVALID_ARGUMENT, "The request asks for nothing that is known here.");
  }

  function fileAnswer(file: DescribedFile | undefined): ServerReflectionResponse {
    if (file === undefined) return notFound("No such file or symbol is known here.");
    return { fileDescriptorResponse: { fileDescriptorProto: files.withDependencies(file) } };
  }
}

function notFound(message: string): ServerReflectionResponse {
  return failure(status.NOT_FOUND, message);
}

function failure(errorCode: number, errorMessage: string): ServerReflectionResponse {
  return { errorResponse: { errorCode, errorMessage } };
}

class DescribedFiles {
  readonly #byName: ReadonlyMap<string, DescribedFile>;
  readonly #bySymbol: ReadonlyMap<string, DescribedFile>;

  constructor() {
    const text = readFileSync(join(PROTO_FOLDER, "generated/descriptors.json"), "utf8");
    // Written by our own generator.
    const files = JSON.parse(text) as readonly DescribedFile[];
    this.#byName = new Map(files.map((file) => [file.name, file]));
    this.#bySymbol = new Map(
      files.flatMap((file) => [...file.services, ...file.symbols].map((symbol) => [symbol, file] as const)),
    );
  }

  named(name: string): DescribedFile | undefined {
    return this.#byName.get(name);
  }

  /** A method, field or nested type is found by the symbol that contains it. */
  declaring(symbol: string): DescribedFile | undefined {
    for (let name = symbol; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
      const file = this.#bySymbol.get(name);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  withDependencies(first: DescribedFile): Buffer[] {
    const found = new Set([first]);
    for (const file of found) {
      for (const name of file.dependencies) {
        const dependency = this.#byName.get(name);
        if (dependency !== undefined) found.add(dependency);
      }
    }
    return [...found].map(({ descriptor }) => Buffer.from(descriptor, "base64"));
  }
}
