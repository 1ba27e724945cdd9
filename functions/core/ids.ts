import { randomBase62, type RandomBytes } from './base62.ts';

/** Random part of public ids, in base62 characters: 95 bits, so that no two meet. */
const ID_LENGTH = 16;

/** A new account id, such as `acc_4fS0pQ2mXz81LkWd`. */
export const generateAccountId = (randomBytes: RandomBytes): string => `acc_${randomBase62(ID_LENGTH, randomBytes)}`;

/** A new public key id, such as `key_9aBcD3fGhJ5kLmN7`. It identifies a key without being one. */
export const generateKeyId = (randomBytes: RandomBytes): string => `key_${randomBase62(ID_LENGTH, randomBytes)}`;

/** A new member id, such as `mem_Zx8cV6bN4mQ2wE0r`: an audit event names a member without telling who it is. */
export const generateMemberId = (randomBytes: RandomBytes): string => `mem_${randomBase62(ID_LENGTH, randomBytes)}`;

/** A new user id, such as `usr_Qm4kT7yB1cW9xZ3f`: names a person to us, and tells nothing of the person. */
export const generateUserId = (randomBytes: RandomBytes): string => `usr_${randomBase62(ID_LENGTH, randomBytes)}`;

/** A session id, such as `ses_Xw3nT8kR2bY6vL0d`: what a person calls one of theirs by, without what it takes to use it. */
export const generateSessionId = (randomBytes: RandomBytes): string => `ses_${randomBase62(ID_LENGTH, randomBytes)}`;
