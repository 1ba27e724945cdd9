import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { readIdentity } from '../../functions/portal/provider/provider.ts';
import { readEmail } from '../../bin/admin/values.ts';
import { foldedAddress, isPlainAddress } from '../../functions/shared/address.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { scene, type Somebody } from '../support/changes/scene.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';

/** Texts that some normalisation changes to `karen@…`, and others that a page shows as it. */
const LIKE_KAREN: readonly (readonly [what: string, (rest: string) => string])[] = [
  ['the Kelvin sign', (rest) => `\u212aaren${rest}`],
  ['a full-width letter', (rest) => `\uff4baren${rest}`],
  ['a leading NUL', (rest) => `\0karen${rest}`],
  ['a trailing U+0085', (rest) => `karen${rest}\u0085`],
  ['a trailing U+FEFF', (rest) => `karen${rest}\ufeff`],
  ['a leading space', (rest) => ` karen${rest}`],
  ['a trailing no-break space', (rest) => `karen${rest}\u00a0`],
  ['a line feed', (rest) => `karen${rest}\n`],
  ['a soft hyphen', (rest) => `ka\u00adren${rest}`],
  ['a zero-width joiner', (rest) => `ka\u200dren${rest}`],
  ['a change of direction', (rest) => `\u202ekaren${rest}`],
];
/** JSON cannot contain it. */
const BROKEN = ['half a surrogate pair', (rest: string) => `karen\ud800${rest}`] as const;
const TRUST = { issuerLabel: 'tests', trustEmail: true };

const identityOf = (email: unknown) => readIdentity({ sub: 's', email, email_verified: true }, TRUST);

describe('an address that is not the one that it seems to be', () => {
  let portal: TestPortal;
  let owner: Somebody;
  let accountId: string;
  beforeAll(async () => {
    portal = testPortal(trustingProvider);
    const made = scene(portal);
    owner = await made.somebody();
    accountId = await made.account(owner);
  });
  const invite = (email: string) =>
    portal.browser([owner.cookie]).post(`/api/accounts/${accountId}/members`, { email, role: 'member' });

  test.each(["o'brien@example.com", 'a&b@example.com', 'grace.o=hopper+a@mail.example.com', 'x@y.z'])(
    'is none of these: %s is invited',
    async (email) => {
      expect((await invite(email)).status).toBe(201);
    },
  );

  test.each([...LIKE_KAREN, BROKEN])('is not verified by a sign-in: %s', (_what, like) => {
    expect(identityOf(like('@example.com'))).toMatchObject({ emailVerified: false });
    expect(identityOf('karen@example.com')).toMatchObject({ email: 'karen@example.com', emailVerified: true });
  });

  test.each(LIKE_KAREN)('is not invited, neither in the portal nor by the platform team: %s', async (_what, like) => {
    const email = like(`${randomUUID()}@example.com`);
    const { status, body } = await invite(email);
    expect([status, body]).toMatchObject([400, { code: 'INVALID_REQUEST', field: 'email' }]);
    expect(body).toMatchObject({ detail: expect.stringContaining('ASCII') as unknown });
    expect(() => readEmail(email)).toThrow('ASCII');
    const refused = inviteMember(portal.store, accountId, { email, role: 'member' });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      publicDetail: expect.stringContaining('ASCII') as unknown,
    });
  });

  test('whatever it is: who signs in with one has the address of nobody else', () => {
    const plain = fc.stringMatching(/^[a-zA-Z0-9.+-]{1,12}@[a-z]{1,8}\.(com|org)$/);
    const odd = fc.constantFrom(
      ...Array.from('\u212a\uff4b\ufb01\0\u0085\ufeff\u00a0\u00ad\u200b\u2028\u202e\u0130\u017f\u0301 \n\t'),
    );
    const address = fc
      .tuple(plain, fc.array(fc.tuple(fc.nat(24), odd), { maxLength: 3 }))
      .map(([base, put]) => [base, put.reduce((text, [at, what]) => text.slice(0, at) + what + text.slice(at), base)]);
    fc.assert(
      fc.property(address, ([base = '', claimed = '']) => {
        const { email = '', emailVerified } = identityOf(claimed);
        // Only the exact claim is verified: later comparisons use the claim itself, except for the case of A to Z.
        expect(!emailVerified || email === claimed).toBe(true);
        expect(!emailVerified || isPlainAddress(claimed)).toBe(true);
        if (claimed === base) expect(emailVerified).toBe(true);
        else expect(emailVerified && foldedAddress(email) === foldedAddress(base)).toBe(false);
      }),
    );
  });
});
