import { Deviation, type Check } from './check.ts';

/** Looks at an answer that another check had asked for: a deviation then begins with that check's name. */
export function naming<T>({ name }: Check, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw error instanceof Deviation ? new Deviation(`${name}: ${error.message}`) : error;
  }
}
