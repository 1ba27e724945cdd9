import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { membersQuery, type Account } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Row } from '../components/card.tsx';
import { Loaded } from '../components/loaded.tsx';
import { pages } from '../routes.ts';
import { isOnlyOwner } from './members.ts';
import { RemoveDialog } from './remove-dialog.tsx';

/** Leaves an account. For its only owner: why that is impossible, and what to do first. */
export function LeaveAccount({ account: { accountId, memberId } }: { readonly account: Account }) {
  const query = useQuery(membersQuery(accountId));
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
