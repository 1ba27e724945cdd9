import { createContext, useState, type ReactNode } from 'react';
import type { OutcomeName } from '../requests/outcomes.ts';

/** The result of a request, in one line. */
export interface PingResult {
  readonly words: string;
  /** Undefined: there is no answer, or it does not say. */
  readonly outcome?: OutcomeName | undefined;
  readonly status?: number;
  /** The request in the list of its project. Undefined: it is in none. */
  readonly address?: string | undefined;
}

/** Sends a ping that simulates a code. Undefined: another one is in progress. */
export type Simulate = (code: string) => Promise<PingResult | undefined>;

/** The console's function. Undefined: there is no console, such as without a session. */
export const SimulateContext = createContext<Simulate | undefined>(undefined);
/** The console passes its function to the pages by this. */
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
