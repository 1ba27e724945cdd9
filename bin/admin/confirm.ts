import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

/** Where a person is asked. The question goes to stderr, so that stdout holds the outcome only. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Asks before something that cannot be undone, and throws unless the answer is yes. */
export async function confirm(question: string, { input, output }: Terminal): Promise<void> {
  const answer = await ask(`${question} [y/N] `, input, output);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Error('Not confirmed; nothing was changed.');
}

/** The line that is typed; empty when the input ends (Ctrl-D) or is left (Ctrl-C). */
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
