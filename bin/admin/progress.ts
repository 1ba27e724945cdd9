/** The part of a stream that progress is shown on. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** How far a long command is. */
export interface Progress {
  /** One more is done. */
  step(): void;
  /** Clears the line, for what comes after it. */
  end(): void;
}

/** Shows a count on one line of a terminal; a file, a pipe or a log gets nothing of it. */
export function progress(what: string, terminal: Terminal): Progress {
  let done = 0;
  const show = (text: string): void => {
    if (terminal.isTTY) terminal.write(text);
  };
  return {
    step: () => show(`\r${++done} ${what}`),
    end: () => show('\r\u001b[K'),
  };
}
