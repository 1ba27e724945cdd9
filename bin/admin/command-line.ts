import { CommanderError, type Command } from 'commander';
import { errorText, usageErrorText } from './error-text.ts';
import { HELP_WIDTH } from './help-text.ts';
import type { Shell } from './shell.ts';

/** Runs a command line of a program; what it throws is one line on stderr, and the exit status is left in the shell. */
export async function runProgram(program: Command, args: readonly string[], shell: Shell): Promise<void> {
  configure(program, shell);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const isToldAlready = error instanceof CommanderError;
    shell.exitCode = isToldAlready ? error.exitCode : 1;
    if (isToldAlready) return;
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
