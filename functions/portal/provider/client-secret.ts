import { type Clock, MS_PER_MINUTE } from '../../shared/time.ts';

/** The secret by which the provider authenticates the portal. It may be changed while the function runs. */
export interface ClientSecret {
  /** The secret, at most some minutes old. Rejects when it could never be read. */
  current(): Promise<string>;
  /** The present secret, after a refusal. Rejects when it cannot be read. */
  renewed(): Promise<string>;
}

/** How long a change may go unnoticed while the provider still accepts the old secret. A refused one is read again. */
const KEPT_MS = 5 * MS_PER_MINUTE;

/** A secret that does not change while the function runs. */
export const fixedSecret = (text: string): ClientSecret => ({
  current: () => Promise.resolve(text),
  renewed: () => Promise.resolve(text),
});

/**
 * A secret that is read when it is first needed, and cached for five minutes. If it cannot be read then, the old one
 * stays in use: the provider accepts or refuses it.
 */
export function keptSecret(read: () => Promise<string>, clock: Clock): ClientSecret {
  let kept: { readonly text: string; readonly sinceMs: number } | undefined;
  const renewed = async (): Promise<string> => {
    const text = await read();
    kept = { text, sinceMs: clock.now() };
    return text;
  };
  return {
    renewed,
    current: async () => {
      const before = kept;
      if (!before) return renewed();
      if (clock.now() < before.sinceMs + KEPT_MS) return before.text;
      return renewed().catch(() => before.text);
    },
  };
}
