import { CommanderError, Help, type Command, type AddHelpTextContext } from 'commander';
import type { Shell } from './shell.ts';
import { escaped } from './text.ts';
import { knowKeyPrefixes, withoutApiKeys } from '../../functions/shared/credentials/credential-text.ts';
import { DEFAULT_KEY_PREFIX, KEY_PREFIX } from '../../functions/shared/settings/key-prefixes.ts';

/** Runs a command line of a program. An error is one line on stderr, and the exit status is set in the shell. */
export async function runProgram(program: Command, args: readonly string[], shell: Shell): Promise<void> {
  // It may be given a key of any stage, and must not show one.
  knowKeyPrefixes([DEFAULT_KEY_PREFIX], KEY_PREFIX);
  configure(program, shell);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const isReported = error instanceof CommanderError;
    shell.exitCode = isReported ? error.exitCode : 1;
    if (isReported) return;
    // Loaded only here: it imports the SDK's errors, and not every program needs the SDK.
    const { errorLine } = await import('../admin/errors.ts');
    shell.stderr.write(errorText(errorLine(error)));
  }
}

/** Separately made subcommands do not inherit this from the program. */
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

/** Marks required options in the help, and names all missing ones at once: commander names only the first. */
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

/** The width of help without a terminal. */
const HELP_WIDTH = 80;

/**
 * Text for the end of a command's help, wrapped for the terminal. An empty line separates paragraphs. A paragraph with
 * indented lines, such as commands to copy, is not wrapped.
 */
export const paragraphs =
  (text: string) =>
  ({ command }: AddHelpTextContext): string => {
    const width = command.configureOutput().getOutHelpWidth?.() ?? HELP_WIDTH;
    const wrapped = (paragraph: string): string =>
      paragraph.includes('\n  ') ? paragraph : new Help().boxWrap(paragraph.replaceAll('\n', ' '), width);
    return `\n${text.trim().split('\n\n').map(wrapped).join('\n\n')}`;
  };

/** An error as a program's last line, without keys, and with invisible characters escaped. */
const errorText = (line: string): string => `error: ${withoutApiKeys(escaped(line))}\n`;

/**
 * A usage error of commander, treated in the same way; only the line feed before a suggestion stays. It quotes the
 * wrong argument, which may be a key in the wrong place.
 */
function usageErrorText(text: string): string {
  const [, line = '', suggestion = ''] = /^(?:error: )?(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? [];
  return errorText(line).trimEnd() + withoutApiKeys(suggestion) + '\n';
}
