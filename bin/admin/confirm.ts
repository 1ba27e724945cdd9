import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** The terminal for questions. A question goes to stderr, so that stdout contains only the outcome. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Asks before an irreversible change, and throws unless the answer is yes. */
export async function confirm(question: string, { input, output }: Terminal): Promise<void> {
  const answer = await ask(`${question} [y/N] `, input, output);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Error('Not confirmed; nothing was changed.');
}

/**
 * As {@link confirm}, for a worse consequence: throws unless this text is typed. The case of A to Z does not matter.
 */
export async function confirmTyped(question: string, text: string, { input, output }: Terminal): Promise<void> {
  const answer = await ask(`${question} `, input, output);
  if (answer.trim().toLowerCase() !== text.toLowerCase()) throw new Error('Not confirmed; nothing was changed.');
}

/** The typed line; empty when the input ends (Ctrl-D) or is interrupted (Ctrl-C). */
async function ask(question: string, input: Readable, output: Writable): Promise<string> {
  const lines = createInterface({ input, output });
  try {
    return await new Promise<string>((resolve) => {
      lines.once('close', () => {
        output.write('\n');
        resolve('');
      });
      lines.question(question, resolve);
    });
  } finally {
    lines.removeAllListeners('close').close();
  }
}
