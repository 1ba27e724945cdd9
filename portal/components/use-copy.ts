import { useToast } from './announcer.tsx';

/** Copies a text from a menu, and announces whether that worked: a clipboard may refuse. */
export function useCopy(): (text: string, what: string) => Promise<void> {
  const tell = useToast();
  return async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`Copied ${what}.`);
    } catch {
      tell(`Your browser did not let the page copy ${what}.`, true);
    }
  };
}
