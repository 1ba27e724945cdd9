import { withoutApiKeys } from '../credentials/credential-text.ts';

/** What a log may show of an error. */
export interface ErrorView {
  readonly name: string;
  readonly message: string;
  /** Where it was thrown, without the message. */
  readonly stack?: string;
  readonly cause?: ErrorView;
}

/** From the first to the last quote or brace: services and runtimes quote their input there. */
const QUOTED = /['"`{][^]*['"`}]/;

/**
 * The lines at the end of a stack that name places. A line of a message can begin like one, but does not end like one.
 */
const FRAMES = /(?:\n +at .*[\d>]\)?)*$/;

/** How many causes are followed: an error may be its own cause. */
const MAX_CAUSES = 5;

/**
 * The loggable part of an error and its causes. The errors of the AWS SDK contain the raw response and the items of a
 * failed condition. A parser's message quotes its input, and a service's message quotes the request. None of that may
 * be logged.
 */
export function errorView(error: unknown, causesLeft = MAX_CAUSES): ErrorView {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an error' };
  const { name, message, stack = '', cause } = error;
  const frames = FRAMES.exec(stack)?.[0].slice(1);
  return {
    name,
    message: error instanceof SyntaxError ? 'withheld: it quotes what was parsed' : withoutInput(message),
    ...(frames && { stack: frames }),
    ...(cause !== undefined && causesLeft > 0 && { cause: errorView(cause, causesLeft - 1) }),
  };
}

const withoutInput = (message: string): string => withoutApiKeys(message.replace(QUOTED, '…'));
