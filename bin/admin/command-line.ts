import { CommanderError, Help, type Command, type AddHelpTextContext } from 'commander';
import type { Shell } from './shell.ts';
import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { escaped } from './text.ts';

/** Runs a command line of a program; what it throws is one line on stderr, and the exit status is left in the shell. */
export async function runProgram(program: Command, args: readonly string[], shell: Shell): Promise<void> {
  configure(program, shell);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const isReported = error instanceof CommanderError;
    shell.exitCode = isReported ? error.exitCode : 1;
    if (isReported) return;
    // Loaded here only: it knows the SDK's errors, and not every program needs the SDK.
    const { errorLine } = await import('./errors.ts');
    shell.stderr.write(errorText(errorLine(error)));
  }
}

/** Subcommands made on their own do not inherit this from the program. */
function configure(command: Command, shell: Shell): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => shell.stdout.write(text),
    writeErr: (text) => shell.stderr.write(text),
    getOutHelpWidth: () => (shell.stdout.isTTY ? shell.stdout.columns : undefined) ?? HELP_WIDTH,
    outputError: (text, write) => write(usageErrorText(text)),
  });
  requireTogether(command);
  for (const subcommand of command.commands) configure(subcommand, shell);
}

/** Marks required options in the help, and names all that are missing at once: commander names the first. */
function requireTogether(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) {
    option.makeOptionMandatory(false);
    option.description += ' (required)';
  }
  command.hook('preAction', () => {
    const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing.length === 0) return;
    const noun = missing.length === 1 ? 'option' : 'options';
    command.error(`error: required ${noun} ${missing.map(({ flags }) => `'${flags}'`).join(', ')} not specified`);
  });
}

/** How wide help is where the output is no terminal. */
const HELP_WIDTH = 80;

/**
 * Text for the end of a command's help, in lines that fit the terminal. Paragraphs have an empty line between them; of
 * those with indented lines, as commands to copy, each line stays as it is.
 */
export const paragraphs =
  (text: string) =>
  ({ command }: AddHelpTextContext): string => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? HELP_WIDTH;
    const wrapped = (paragraph: string): string =>
      paragraph.includes('\n  ') ? paragraph : new Help().boxWrap(paragraph.replaceAll('\n', ' '), width);
    return `\n${text.trim().split('\n\n').map(wrapped).join('\n\n')}`;
  };

/** An error as a program's last line: without a key, and with what cannot be seen escaped. */
const errorText = (line: string): string => `error: ${withoutApiKeys(escaped(line))}\n`;

/**
 * A usage error as commander words it, in the same way but for the line feed before a suggestion. It repeats the
 * argument that is wrong, which may be a key in the wrong place, or anything.
 */
function usageErrorText(text: string): string {
  const [, line = '', suggestion = ''] = /^(?:error: )?(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? [];
  return errorText(line).trimEnd() + withoutApiKeys(suggestion) + '\n';
}
