import { createContext } from 'react';

/** What a form tells its fields. */
export const Problems = createContext<{
  /** What is wrong with the field of this name, to be told now. */
  readonly messageOf: (name: string) => string | undefined;
  /** A field was changed: what the portal said of it does not hold any more. */
  readonly onMended: () => void;
}>({ messageOf: () => undefined, onMended: () => undefined });
