/** Memberships that this person has ended, by the ids of the members. */
const left = new Set<string>();

/** Stores that the person has left or closed an account, so that no message reports it as news. */
export const noteLeft = (memberId: string): void => void left.add(memberId);

/** Whether the person has ended this membership in this page. */
export const hasLeft = (memberId: string): boolean => left.has(memberId);
