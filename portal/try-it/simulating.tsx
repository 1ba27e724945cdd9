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
export type Simulate = (code: string) => Promise<Told | undefined>;

/** The console's; undefined while there is none, as for who is not signed in. */
export const SimulateContext = createContext<Simulate | undefined>(undefined);
/** By which the console gives it to the pages. */
export const ProvideContext = createContext<(simulate: Simulate | undefined) => void>(() => undefined);

/** Lets the pages inside use the console beside them. */
export function Simulating({ children }: { readonly children: ReactNode }) {
  const [{ simulate }, setSimulate] = useState<{ readonly simulate?: Simulate | undefined }>({});
  const [provide] = useState(() => (given: Simulate | undefined) => setSimulate({ simulate: given }));
  return (
    <ProvideContext value={provide}>
      <SimulateContext value={simulate}>{children}</SimulateContext>
    </ProvideContext>
  );
}
