/** Memberships that this person has ended, by the ids of the members. */
const left = new Set<string>();

/** Notes that the person has left or closed an account, so that nobody tells them as news that they are no longer in it. */
export const noteLeft = (memberId: string): void => void left.add(memberId);

/** Whether the person has ended this membership by themselves, in this page. */
export const hasLeft = (memberId: string): boolean => left.has(memberId);
