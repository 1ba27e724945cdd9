import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../api/client.ts';
import { projectsQuery, refreshSession, type Account, membersQuery } from '../api/queries.ts';
import { useAction, useRemoval } from '../api/use-action.ts';
import { useToast } from '../components/announcer.tsx';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { CloseDialog } from '../components/close-dialog.tsx';
import { noteLeft } from '../left.ts';
import { counted } from '../text/format.ts';
import { Link } from 'wouter';
import { Loaded } from '../components/loaded.tsx';
import { pages } from '../routes.ts';
import { isolated } from '../text/names.ts';
import { isOnlyOwner } from './members.ts';
import { RemoveDialog } from './member-dialogs.tsx';

/** The end of an account, for its owners. */
export function CloseAccount({ account: { accountId, memberId, name } }: { readonly account: Account }) {
  const client = useQueryClient();
  const tell = useToast();
  const [isAsking, setAsking] = useState(false);
  const { data: projects } = useQuery({ ...projectsQuery(accountId), refetchInterval: false });
  const action = useAction<undefined, unknown>(
    useRemoval(() => answer(api.DELETE('/api/accounts/{accountId}', { params: { path: { accountId } } }))),
    async () => {
      noteLeft(memberId);
      await refreshSession(client);
      tell(`${isolated(name)} is closed. Its keys are refused.`);
    },
  );
  return (
    <>
      <p>
        All its projects are closed too. Their keys are refused from their next request on, and its members no longer
        see it. The platform team keeps its usage and the audit. You cannot undo this.
      </p>
      <Row>
        <Button kind="danger" onPress={() => setAsking(true)}>
          Close account
        </Button>
      </Row>
      {isAsking && (
        <CloseDialog what="account" name={name} action={action} onCancel={() => setAsking(false)}>
          <p>
            {projects === undefined
              ? 'All its projects and keys will be closed with it.'
              : projects.length === 0
                ? 'It has no project.'
                : `${counted(projects.length, 'project')} with ${counted(
                    projects.reduce((sum, { activeKeys }) => sum + activeKeys, 0),
                    'active key',
                  )} will be closed with it.`}
          </p>
        </CloseDialog>
      )}
    </>
  );
}

/** Leaves an account. For its only owner: why that is impossible, and what to do first. */
export function LeaveAccount({ account: { accountId, memberId } }: { readonly account: Account }) {
  const query = useQuery({ ...membersQuery(accountId), refetchInterval: false });
  const [isAsking, setAsking] = useState(false);
  return (
    <Loaded query={query} what="the members">
      {(members) => {
        const self = members.find((member) => member.memberId === memberId);
        if (isOnlyOwner(members, memberId)) {
          return (
            <p>
              You are its only owner, and an account needs one. Before you leave, make somebody else an owner on the
              page <Link href={pages.team(accountId)}>Team</Link>, or close the account.
            </p>
          );
        }
        return (
          <>
            <p>After that you no longer see it. Its projects and keys stay. An owner can invite you again.</p>
            <Row>
              <Button kind="danger" onPress={() => setAsking(true)}>
                Leave account
              </Button>
            </Row>
            {isAsking && self && (
              <RemoveDialog accountId={accountId} member={self} isSelf onClose={() => setAsking(false)} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}
