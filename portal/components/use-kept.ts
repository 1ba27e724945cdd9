import { useEffect, useState, type Dispatch, type SetStateAction } from 'react';
import { dropForm, keptFor, noteTyped } from '../api/kept-words.ts';
import { useSession } from '../session.ts';

/**
 * The state of a field. What is typed stays when the session ends: after the sign-in the field of this name has it
 * again. Never for the field of a secret. A form is that of a page: two on one page have different names.
 */
export function useKept<Value>(
  form: string,
  field: string,
  first: Value,
): readonly [Value, Dispatch<SetStateAction<Value>>] {
  const { userId } = useSession().user;
  const [atFirst] = useState(first);
  const [value, setValue] = useState(() => (keptFor(userId)[form]?.[field] ?? first) as Value);
  useEffect(() => {
    const isChanged = JSON.stringify(value) !== JSON.stringify(atFirst);
    noteTyped(form, field, isChanged ? value : undefined);
  }, [form, field, value, atFirst]);
  useEffect(() => {
    dropForm(form);
    // It was sent or left.
    return () => noteTyped(form, field, undefined);
  }, [form, field]);
  return [value, setValue];
}

/** Whether words of a form are kept, so that its dialog opens again. */
export function useIsKept(): (form: string) => boolean {
  const { userId } = useSession().user;
  return (form) => form in keptFor(userId);
}

/** What a dialog of a list is asked about, at first what words are kept of: looked for once the list `isRead`. */
export function useAsked<Asked>(isRead: boolean, keptOf: (isKept: (form: string) => boolean) => Asked | undefined) {
  const isKept = useIsKept();
  const [asked, setAsked] = useState<Asked>();
  const [hasLooked, setLooked] = useState(false);
  if (isRead && !hasLooked) {
    setLooked(true);
    setAsked(() => keptOf(isKept));
  }
  return [asked, setAsked] as const;
}
