import { parseArgs } from "node:util";

const COMMANDS = ["up", "load", "install", "test", "logs", "down"] as const;
export type KindCommand = (typeof COMMANDS)[number];

export interface KindOptions {
  readonly cluster: string;
  readonly namespace: string;
  readonly release: string;
  readonly image: string;
  /** Accepts any cluster of the current context. */
  readonly anyContext: boolean;
  /** Command that loads an image into the cluster in place of kind; the image's name is appended. */
  readonly loadImage?: string;
  /** More values of the chart. */
  readonly valuesFile?: string;
}

/** An invalid argument; the message lists the valid ones. */
export class UsageError extends Error {}

export const USAGE = `The platform on a cluster of kind (needs kind, kubectl, helm, and Docker or Podman):

  npm run kind:up        make the cluster, or choose it again
  npm run kind:load      build the image and bring it into the cluster
  npm run kind:install   install the chart, or upgrade it
  npm run kind:test      helm test, and the end-to-end tests
  npm run kind:logs      pods and their last lines
  npm run kind:down      delete the cluster

Options, behind --:
  --cluster=NAME         default fairlead
  --namespace=NAME       default fairlead
  --release=NAME         default fairlead
  --image=NAME:TAG       default fairlead:dev
  --values=FILE          more values of the chart
  --any-context          work on the current context though it is not one of kind; down then removes the release only
E2E_LOAD_IMAGE names a command that brings an image into a cluster that is not kind's.`;

export function isCommand(word: string): word is KindCommand {
  const words: readonly string[] = COMMANDS;
  return words.includes(word);
}

type Environment = Readonly<Record<string, string | undefined>>;

export function readOptions(args: readonly string[], environment: Environment): KindOptions {
  const { values } = parse(args);
  const image = values.image;
  if (!/^[^\s:]+(?::\d+\/[^\s:]+)?:[\w.-]+$/.test(image)) {
    throw new UsageError(`--image must have a tag, as in fairlead:dev; it is "${image}".`);
  }
  const loadImage = environment["E2E_LOAD_IMAGE"];
  return {
    cluster: values.cluster,
    namespace: values.namespace,
    release: values.release,
    image,
    anyContext: values["any-context"],
    loadImage: loadImage || undefined,
    valuesFile: values.values,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        cluster: { type: "string", default: "fairlead" },
        namespace: { type: "string", default: "fairlead" },
        release: { type: "string", default: "fairlead" },
        image: { type: "string", default: "fairlead:dev" },
        values: { type: "string" },
        "any-context": { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
  }
}
