import type { Attention } from '../api/queries.ts';
import { ButtonLink } from '../components/button.tsx';
import { Muted, Unseen } from '../components/card.tsx';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useNow } from '../components/use-now.ts';
import { KeyName } from '../keys/key-name.tsx';
import { stateOf } from '../keys/key-view.ts';
import { pages } from '../routes.ts';
import css from './home-details.module.css';

interface EndingKeysProps {
  readonly accountId: string;
  readonly keys: Attention['keys'];
  /** Of a project. */
  readonly nameOf: (projectId: string) => string;
}

/** Keys that expire soon and should be rotated, and replaced keys in their grace. */
export function EndingKeys({ accountId, keys, nameOf }: EndingKeysProps) {
  const nowMs = useNow();
  if (keys.length === 0) return <Muted>No key ends in the next 7 days.</Muted>;
  return (
    <ul className={css.items}>
      {keys.map(({ projectId, key }) => {
        const [kind, words] = stateOf(key, nowMs);
        return (
          <li key={key.keyId} className={css.ending}>
            <span>
              <b>
                <KeyName of={key} />
              </b>{' '}
              <span className={css.muted}>
                in <bdi>{nameOf(projectId)}</bdi>
              </span>
            </span>
            <ButtonLink href={pages.key(accountId, projectId, key.keyId)}>
              Open{' '}
              <Unseen>
                the key <KeyName of={key} />
              </Unseen>
            </ButtonLink>
            <State kind={kind}>{words}</State>
            <p className={css.muted}>
              {key.lastUsed === null ? (
                'Not used yet.'
              ) : (
                <>
                  {key.replacedBy === null ? 'Last used' : 'The old key was last used'}{' '}
                  <Time of={key.lastUsed} as="ago" />.
                </>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
