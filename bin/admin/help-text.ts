import { Help, type AddHelpTextContext } from 'commander';

/** How wide help is where the output is no terminal. */
export const HELP_WIDTH = 80;

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
