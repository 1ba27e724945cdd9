import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { ownerMailsQuery } from '../api/people-queries.ts';
import { useAction } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Card, Stack } from '../components/card.tsx';
import { Failure } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Toggle } from '../components/toggle.tsx';
import { useSession, type AccountPage } from '../session.ts';

const KINDS = [
  ['quota', 'Quotas', 'the thresholds of a project’s quota, changed limits, suspended projects'],
  ['keys', 'Keys', 'the thresholds of a key’s cap, keys and tokens that expire'],
  ['team', 'Team', 'answered invitations, changed roles, removed members'],
] as const;

/** Which mails the owners of an account get. */
export function MailSettings({ account: { accountId, role } }: AccountPage) {
  const { hasMail } = useSession();
  const query = useQuery({ ...ownerMailsQuery(accountId), enabled: hasMail });
  if (!hasMail) {
    return (
      <Card title="E-mails to owners">
        <p>This portal sends no e-mail.</p>
      </Card>
    );
  }
  return (
    <Card title="E-mails to owners">
      <Loaded query={query} what="which mails owners get">
        {(mails) =>
          role === 'owner' ? (
            <Stack>
              <p>Each owner gets them. Of one kind about one thing at most one comes in an hour.</p>
              {KINDS.map(([kind, name, what]) => (
                <MailKind key={kind} accountId={accountId} kind={kind} isOn={mails[kind]} words={`${name}: ${what}`} />
              ))}
            </Stack>
          ) : (
            <p>
              Owners get mails about:{' '}
              {KINDS.filter(([kind]) => mails[kind])
                .map(([, name]) => name.toLowerCase())
                .join(', ') || 'nothing'}
              . Only an owner can change that.
            </p>
          )
        }
      </Loaded>
    </Card>
  );
}

interface MailKindProps {
  readonly accountId: string;
  readonly kind: (typeof KINDS)[number][0];
  readonly isOn: boolean;
  readonly words: string;
}

/** One kind of mail. It shows a new choice at once, and the stored one again if saving failed. */
function MailKind({ accountId, kind, isOn, words }: MailKindProps) {
  const client = useQueryClient();
  const tell = useToast();
  const [chosen, setChosen] = useState(isOn);
  const { run, isPending, error } = useAction(
    (body: Partial<Record<MailKindProps['kind'], boolean>>) =>
      answer(api.PATCH('/api/accounts/{accountId}/mails', { body, params: { path: { accountId } } })),
    (mails) => {
      // The answers for two kinds may arrive in another order than the requests.
      client.setQueryData(
        ownerMailsQuery(accountId).queryKey,
        (before) => before && { ...before, [kind]: mails[kind] },
      );
      tell('Saved.');
    },
  );
  const choose = (isChosen: boolean): void => {
    if (isPending) return;
    setChosen(isChosen);
    run({ [kind]: isChosen });
  };
  return (
    <>
      <Toggle isOn={isPending ? chosen : isOn} onChange={choose}>
        {words}
      </Toggle>
      <Failure error={error} />
    </>
  );
}
