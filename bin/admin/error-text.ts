import { withoutApiKeys } from '../../functions/core/api-key.ts';
import { escaped } from './unseen.ts';

/** An error as a program's last line: without a key, and with what cannot be seen escaped. */
export const errorText = (line: string): string => `error: ${withoutApiKeys(escaped(line))}\n`;

/**
 * A usage error as commander words it, in the same way but for the line feed before a suggestion. It repeats the
 * argument that is wrong, which may be a key in the wrong place, or anything.
 */
export function usageErrorText(text: string): string {
  const [, line = '', suggestion = ''] = /^(?:error: )?(.*?)(\n\(Did you mean [^\n]*\))?\n$/s.exec(text) ?? [];
  return errorText(line).trimEnd() + withoutApiKeys(suggestion) + '\n';
}
