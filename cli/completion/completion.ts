import { suggestion } from "#kit/schema/suggest.ts";
import { standaloneConfigSchema } from "#services/standalone/config.ts";
import { settingsOf } from "#shared/config/config-schema.ts";
import { COMMANDS, type Command, GENERAL_FLAGS, SERVICES, SHELLS } from "../command-list.ts";
import { flagsOf, UsageError } from "../parse-arguments.ts";

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = { bash, zsh, fish };

/** The completion script of a shell. Throws `UsageError` for a shell without one. */
export function completionFor(name: string): string {
  const shell = SHELLS.find((known) => known === name);
  if (shell !== undefined) return SCRIPTS[shell]();
  throw new UsageError(
    `There is no completion for "${name}"${suggestion(name, SHELLS) || `. Shells: ${SHELLS.join(", ")}.`}`,
  );
}

function settingFlags(): readonly string[] {
  return [...flagsOf(settingsOf(standaloneConfigSchema)).keys()];
}

function flagsFor({ flags, takesSettings }: Command): readonly string[] {
  const own = [...flags, ...GENERAL_FLAGS].map(({ name }) => name);
  return takesSettings ? [...own, ...settingFlags()] : own;
}

const commandNames = (): string => [...COMMANDS.map(({ name }) => name), ...SERVICES].join(" ");

/** The function for one command of bash, which zsh can run too. */
function bashCase(command: Command): string {
  const { completes } = command;
  const words =
    completes === undefined || completes === "folder"
      ? ""
      : `\n        *) COMPREPLY=($(compgen -W "${completes.join(" ")}" -- "$current")) ;;`;
  const folders = completes === "folder" ? `\n        *) COMPREPLY=($(compgen -d -- "$current")) ;;` : words;
  return `    ${command.name})
      case "$current" in
        -*) COMPREPLY=($(compgen -W "${flagsFor(command).join(" ")}" -- "$current")) ;;${folders}
      esac ;;`;
}

function bash(): string {
  return `# Completion of fairlead for bash: eval "$(fairlead completion bash)"
_fairlead() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commandNames()} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${COMMANDS.map(bashCase).join("\n")}
  esac
}
complete -F _fairlead fairlead`;
}

function zsh(): string {
  return `# Completion of fairlead for zsh: eval "$(fairlead completion zsh)"
autoload -U +X bashcompinit && bashcompinit
${bash().split("\n").slice(1).join("\n")}`;
}

function fish(): string {
  const lines = COMMANDS.flatMap((command) => {
    const { name, summary, completes } = command;
    const within = `-n "__fish_seen_subcommand_from ${name}"`;
    const words =
      completes === undefined || completes === "folder"
        ? []
        : [`complete -c fairlead ${within} -a "${completes.join(" ")}"`];
    const folders = completes === "folder" ? [`complete -c fairlead ${within} -a "(__fish_complete_directories)"`] : [];
    const flags = flagsFor(command).map((flag) => `complete -c fairlead ${within} -l ${flag.slice(2)}`);
    const head = `complete -c fairlead -n __fish_use_subcommand -a ${name} -d '${summary.replaceAll("'", "\\\\'")}'`;
    return [head, ...words, ...folders, ...flags];
  });
  const services = `complete -c fairlead -n __fish_use_subcommand -a "${SERVICES.join(" ")}"`;
  return [
    "# Completion of fairlead for fish: fairlead completion fish | source",
    "complete -c fairlead -f",
    services,
    ...lines,
  ].join("\n");
}
