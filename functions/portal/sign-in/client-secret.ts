import type { Clock } from '../../core/clock.ts';
import { MS_PER_MINUTE } from '../../core/clock.ts';

/** What the provider knows the portal by. It may be changed while the function runs. */
export interface ClientSecret {
  /** As it was within the last minutes. Rejects when it cannot be read and never was. */
  current(): Promise<string>;
  /** After a refusal: the secret as it is now. Rejects when it cannot be read. */
  renewed(): Promise<string>;
}

/** How long a change may go unnoticed while the secret of before is still taken; one that is refused is read again. */
const KEPT_MS = 5 * MS_PER_MINUTE;

/** A secret that does not change while the function runs. */
export const fixedSecret = (text: string): ClientSecret => ({
  current: () => Promise.resolve(text),
  renewed: () => Promise.resolve(text),
});

/**
 * A secret that is read when it is first needed and kept for five minutes. Where it then cannot be read, the one of
 * before goes on: it still signs people in, or is refused.
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
