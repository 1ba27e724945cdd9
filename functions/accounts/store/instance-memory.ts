import type { AccountStore } from './account-store.ts';

/**
 * A set of texts that an instance remembers for each database client, so tests share none. When it holds `most` of
 * them it forgets all: its size is bounded, and what it knows only saves work.
 */
export function instanceMemory(most: number): (store: AccountStore) => Pick<Set<string>, 'has' | 'add'> {
  const known = new WeakMap<object, Set<string>>();
  return ({ client }) => {
    const texts = known.get(client) ?? new Set<string>();
    known.set(client, texts);
    return {
      has: (text) => texts.has(text),
      add: (text) => {
        if (texts.size >= most) texts.clear();
        return texts.add(text);
      },
    };
  };
}
