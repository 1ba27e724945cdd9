import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { refreshAccount, type Key } from '../api/queries.ts';
import { useAction } from '../api/use-action.ts';
import { useAnnounce } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { nameProblem } from '../text/names.ts';
import { nameOf } from './key-view.ts';
import css from './rename-key.module.css';

interface RenameKeyProps {
  readonly accountId: string;
  readonly projectId: string;
  readonly apiKey: Key;
}

/** A key's name, which becomes a field: Enter keeps what was typed, Esc what was there. */
export function RenameKey({ accountId, projectId, apiKey }: RenameKeyProps) {
  const { keyId, name } = apiKey;
  const client = useQueryClient();
  const announce = useAnnounce();
  const [typed, setTyped] = useState<string>();
  const opener = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    setTyped(undefined);
    // Once the button is there again.
    requestAnimationFrame(() => opener.current?.focus());
  };
  const { run, isPending, error } = useAction(
    (body: { name: string }) => {
      const params = { path: { accountId, projectId, keyId } };
      return answer(api.PATCH('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { body, params }));
    },
    async (_key, renamed) => {
      await refreshAccount(client, accountId);
      announce(`Renamed to ${renamed.name}.`);
      close();
    },
  );
  if (typed === undefined) {
    return (
      <span className={css.name}>
        {name === null ? <i>no name</i> : <bdi>{name}</bdi>}
        <Button kind="quiet" ref={opener} aria-label={`Rename ${nameOf(apiKey)}`} onPress={() => setTyped(name ?? '')}>
          Rename
        </Button>
      </span>
    );
  }
  const problem = nameProblem(typed) ?? error?.message;
  const submit = (): void => {
    if (typed.trim() === name) close();
    else if (nameProblem(typed) === null) run({ name: typed.trim() });
  };
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <input
        className={css.input}
        aria-label={`Name of ${nameOf(apiKey)}: Enter keeps it, Escape leaves it as it was`}
        aria-invalid={problem !== undefined}
        value={typed}
        readOnly={isPending}
        autoComplete="off"
        autoFocus
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && close()}
      />
      <span className={css.hint} role="status">
        {isPending ? 'Renaming …' : (problem ?? 'Enter keeps it, Esc leaves it')}
      </span>
    </form>
  );
}
