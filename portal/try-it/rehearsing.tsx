import { createContext, useState, type ReactNode } from 'react';
import type { OutcomeName } from '../requests/outcomes.ts';

/** What came of a request, in a line. */
export interface Told {
  readonly words: string;
  /** Undefined: there is no answer, or it does not tell. */
  readonly outcome?: OutcomeName | undefined;
  readonly status?: number;
  /** Of the request in the list of its project; undefined: it is in none. */
  readonly address?: string | undefined;
}

/** Sends a ping that is to be answered with a code. Undefined: another one is under way. */
export type Rehearse = (code: string) => Promise<Told | undefined>;

/** The console's; undefined while there is none, as for who is not signed in. */
export const RehearseContext = createContext<Rehearse | undefined>(undefined);
/** By which the console gives it to the pages. */
export const ProvideContext = createContext<(rehearse: Rehearse | undefined) => void>(() => undefined);

/** Lets the pages inside use the console beside them. */
export function Rehearsing({ children }: { readonly children: ReactNode }) {
  const [{ rehearse }, setRehearse] = useState<{ readonly rehearse?: Rehearse | undefined }>({});
  const [provide] = useState(() => (given: Rehearse | undefined) => setRehearse({ rehearse: given }));
  return (
    <ProvideContext value={provide}>
      <RehearseContext value={rehearse}>{children}</RehearseContext>
    </ProvideContext>
  );
}
