import assert from 'node:assert/strict';
import type { Outcome, Visitor } from './asking.ts';
import type { Act, Changes, Team } from './changes.ts';

/** How people join a team and leave it. */
export function guestActs(
  { claims, change, newName }: Changes,
  newVisitor: (email: string) => Promise<Visitor>,
  createKey: Act,
) {
  /** Invites an address as a member; undefined if it was refused. */
  const invite = async ({ accountId, owner }: Pick<Team, 'accountId' | 'owner'>, email: string) => {
    const asked = ['POST', `/api/accounts/${accountId}/members`, { email, role: 'member' }] as const;
    const event = ({ memberId }: Outcome['body']) => ({ action: 'member.add', accountId, about: memberId });
    return (await change(owner, asked, event)).body.memberId;
  };
  /** Answers an invitation. Returns whether that was possible. */
  const answer = async (who: Visitor, accountId: string, memberId: string, how: 'accept' | 'decline') => {
    const event = { action: how === 'accept' ? 'member.join' : 'member.decline', accountId, about: memberId };
    return (await change(who, ['POST', `/api/invitations/${accountId}/${how}`], event)).code === undefined;
  };
  const remove = async (who: Visitor, accountId: string, memberId: string): Promise<void> => {
    const asked = ['DELETE', `/api/accounts/${accountId}/members/${memberId}`] as const;
    await change(who, asked, { action: 'member.remove', accountId, about: memberId });
  };
  /** Deletes a profile; `left` is the account of the person. */
  const deleteProfile = async (who: Visitor, left?: { readonly accountId: string; readonly memberId: string }) => {
    const outcome = await who.ask('DELETE', '/api/profile');
    const { code, lost } = outcome;
    // After the deletion the person cannot ask again.
    const isDone = code === undefined || (code === 'NOT_SIGNED_IN' && lost > 0);
    assert.ok(isDone, `a profile is not deleted: ${code}`);
    const events = left ? [{ action: 'member.remove', accountId: left.accountId, about: left.memberId }] : [];
    claims.note(who, { ...outcome, code: undefined }, events);
  };

  /** What an invited person does. Returns whether they are a member at the end. */
  const comes = async ({ accountId, owner }: Team, guest: Visitor, memberId: string, chance: number) => {
    if (chance < 0.2) {
      await answer(guest, accountId, memberId, 'decline');
      return false;
    }
    if (chance < 0.4) {
      await Promise.all([answer(guest, accountId, memberId, 'accept'), remove(owner, accountId, memberId)]);
      return false;
    }
    return answer(guest, accountId, memberId, 'accept');
  };
  /** How a member leaves; with their profile, or not yet. */
  const goes = async (team: Team, guest: Visitor, memberId: string, chance: number): Promise<void> => {
    const { accountId, owner } = team;
    if (chance < 0.6) {
      await deleteProfile(guest, { accountId, memberId });
      return;
    }
    if (chance < 0.8) {
      await createKey(team, guest, chance);
      await remove(guest, accountId, memberId);
    } else await Promise.all([createKey(team, guest, chance), remove(owner, accountId, memberId)]);
    await deleteProfile(guest);
  };
  const guest: Act = async (team, _owner, chance) => {
    const visitor = await newVisitor(`guest-${newName().replace(' ', '-')}-${team.accountId}@example.com`);
    const memberId = await invite(team, visitor.email);
    const isMember = memberId !== undefined && (await comes(team, visitor, memberId, chance));
    await (isMember ? goes(team, visitor, memberId, chance) : deleteProfile(visitor));
  };
  return { invite, answer, guest };
}
