import { jest } from '@jest/globals';
import { noteOutput } from './journal.ts';

/** Replaces stdout and stderr, and notes what is written to them for the search of the run. */
export function captureLines() {
  const lines: string[] = [];
  // Lambda collects both; the logger writes errors to stderr.
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      lines.push(String(chunk));
      noteOutput('a line of an entry point', String(chunk));
      return true;
    }),
  );
  return {
    lines,
    stop: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
