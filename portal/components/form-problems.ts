import { createContext } from 'react';

/** What a form passes to its fields. */
export const Problems = createContext<{
  /** The error of the field of this name, if it is shown now. */
  readonly messageOf: (name: string) => string | undefined;
  /** A field was changed, so the portal's error about it is stale. */
  readonly onMended: () => void;
}>({ messageOf: () => undefined, onMended: () => undefined });
