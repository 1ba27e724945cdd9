import { among, type Invariant } from './invariant.ts';

const REFUSALS = 'test/portal/refusals.test.ts';
const SIGN_IN = 'test/portal/sign-in.test.ts';
const PROVIDER = 'test/portal/provider.test.ts';
const ENUMERATION = 'test/portal/enumeration.test.ts';
const SESSIONS = 'test/portal/sessions.test.ts';
const MADE_UP = 'a session costs no call where its token was made up, or is of another person';
const AUDIT = 'test/portal/audit.test.ts';
const BODIES = 'POST /api/accounts takes JSON of a bounded size, and says what is wrong before it says what there is';

/** The portal's function: what it accepts from whom, its cookies, and the person of a sign-in. */
export const PORTAL: readonly Invariant[] = [
  ...among('test/portal/attention.test.ts', [
    [
      'keys made for an hour hide no others that end',
      'first.length < limit ? await read(entries.slice(limit, MOST_LOOKED_AT)) : [];',
      '[];',
      'what an account asks for are keys that end though more were made for an hour, which end before them',
    ],
  ]),
  ...among(REFUSALS, [
    [
      'a change comes from the own page',
      "site === 'same-origin';",
      "site !== 'cross-site';",
      'POST /api/accounts is refused from a neighbour of the site',
    ],
    [
      'a change without fetch metadata comes from the own origin',
      "c.req.header('origin') === portalOrigin",
      "c.req.header('origin')?.startsWith(portalOrigin) === true",
      'POST /api/accounts is refused from another origin that begins the same',
    ],
    [
      'a page of another origin reads nothing',
      "if (isFromElsewhere(c) && !SIGN_IN.test(c.req.path)) throw new PortalError('CROSS_SITE_REQUEST');",
      '',
      'GET /api/session is refused to a page of another origin (same-site)',
    ],
  ]),
  ...among(REFUSALS, [
    [
      'a change is JSON',
      "if (!isJsonMediaType(c.req.header('content-type'))) throw new PortalError('UNSUPPORTED_MEDIA_TYPE');",
      '',
      BODIES,
    ],
  ]),
  ...among(REFUSALS, [
    [
      'what there is not is not found before anything is asked',
      "if (matching.length === 0) throw new PortalError('NOT_FOUND');",
      'if (matching.length === 0) return next();',
      'a path or method that there is not /api/nothing is not found, whoever asks and however',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'no script gets a cookie',
      'httpOnly: true',
      'httpOnly: false',
      'a sign-in begins a session in a cookie that no other site and no script gets, and leads back',
    ],
    [
      'nobody but the server makes a cookie',
      "const PREFIX = '__Host-Http-';",
      "const PREFIX = '__Host-';",
      'a sign-in begins a session in a cookie that no other site and no script gets, and leads back',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'no other site makes a request with the session',
      "sameSite: 'Strict'",
      "sameSite: 'Lax'",
      'a sign-in begins a session in a cookie that no other site and no script gets, and leads back',
      'SESSION_COOKIE',
    ],
  ]),
  ...among(SESSIONS, [
    ['a made-up session reaches no store', 'hasSessionTag(token, secrets)', 'true', MADE_UP],
    [
      'sessions from before their tokens had tags end',
      "c.get('state').receivedAtMs < untaggedUntilMs",
      'untaggedUntilMs > 0',
      'a session from before tokens had tags is taken until a moment that is set, and no longer',
    ],
  ]),
  ...among(SESSIONS, [['the tag of a session is no tag of a key', '`session ${userId}.${random}`', 'random', MADE_UP]]),
  ...among(SIGN_IN, [
    [
      'a sign-in that was begun lasts an hour',
      'success && nowMs < output.expiresAtMs',
      'success',
      'a callback sets nothing and ends nothing an hour after it was begun, and no sooner',
    ],
    [
      'a change of the secret ends no sign-in under way',
      'secrets.some((secret)',
      'secrets.slice(0, 1).some((secret)',
      'a change of the stage’s secret ends no attempt that is under way while the one of before is still known',
      'readAttempt',
    ],
  ]),
  ...among(PROVIDER, [
    [
      'the provider is asked about no callback that was made up',
      'if (!isOurs) return undefined;',
      '',
      'a callback signs nobody in whose attempt the portal has not made: nobody is asked, and nobody is paged',
    ],
    [
      'an attempt belongs to its state',
      '${LABEL}\\n${state}\\n${text}',
      '${LABEL}\\n${text}',
      'a callback signs nobody in whose attempt the portal has not made: nobody is asked, and nobody is paged',
    ],
  ]),
  ...among(PROVIDER, [
    [
      'tokens of a request that a person made up page nobody',
      "claim === 'nonce' || lacksNonce || lacksIdToken",
      'lacksNonce || lacksIdToken',
      'the tokens of another authorization request than the portal’s sign nobody in, and page nobody with another nonce',
    ],
    [
      'a sign-in that the provider refuses the portal itself pages',
      'OF_THE_CODE.has(code) ? new',
      'OAUTH_CODES.has(code) ? new',
      'what the token endpoint refuses as invalid_client is logged as that, for the runbook, and pages',
    ],
  ]),
  ...among(PROVIDER, [
    [
      'a callback that anybody can make pages nobody',
      'exchange.isAsked ? failedExchange(error) : refusedCallback(error)',
      'failedExchange(error)',
      'a callback signs nobody in without a code, and pages nobody: who made it up is not known, and the provider is not asked',
    ],
  ]),
  ...among(SIGN_IN, [
    ['an attempt is used once', 'forgetAttempt(c, state);', '', 'a sign-in in one tab does not disturb another’s'],
    [
      'each attempt has its own state, nonce and verifier',
      'random(store.randomBytes),\n      random(store.randomBytes),\n      random(store.randomBytes),',
      "random(store.randomBytes),\n      'n'.repeat(43),\n      random(store.randomBytes),",
      'a sign-in leads to the provider with state, nonce and PKCE, in cookies of its own',
    ],
    [
      'a page of another origin begins no sign-in',
      'if (isFromElsewhere(c)) return c.redirect(returnTo, 303);',
      '',
      'a sign-in that a page of another origin begins (cross-site) leads to the page it is for, and sets and ends nothing',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'a path is the own one also once its dots are resolved',
      "pathname.startsWith('//') || ",
      '',
      'a path to come back to is the portal’s own, whatever was asked for',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'an ID token is signed by its provider',
      'openid.enableNonRepudiationChecks,',
      '',
      'a callback sets nothing and ends nothing with an ID token that someone changed on its way',
    ],
  ]),
  ...among('test/portal/client-secret.test.ts', [
    [
      'an ID token is signed by its user pool',
      'openid.enableNonRepudiationChecks(known);',
      '',
      'a user pool of Cognito signs in by a token that it has signed, and by no other',
    ],
    [
      'a client secret that was changed is found out',
      'isRefused ? await clientSecret.renewed() : exchange.clientSecret',
      'exchange.clientSecret',
      'the client secret that was changed is found out by the sign-in that the provider refuses, which then succeeds',
    ],
  ]),
  ...among(PROVIDER, [
    [
      'an address is verified that the provider says is, as a boolean',
      'email_verified === true)',
      'Boolean(email_verified))',
      'an ID token signs in whose address is verified in text, and shows nobody’s invitations',
    ],
    [
      'an address of which nothing is said is not verified',
      'email_verified === undefined ? trustEmail',
      'email_verified === undefined ? true',
      'an ID token signs in that says nothing of the address, and shows nobody’s invitations',
    ],
  ]),
  ...among(ENUMERATION, [
    [
      'what is read is told to members',
      "if (!membership) throw new PortalError('NOT_FOUND');",
      '',
      'what belongs to others is told from what does not exist by nothing: GET /api/accounts/{accountId}/members, neither by the answer nor by the calls that it takes',
      'askedOfAccount',
    ],
  ]),
  ...among(ENUMERATION, [
    [
      'a refusal tells no ids',
      'error.publicDetail === undefined ? {} : { detail: error.publicDetail }',
      '{ detail: error.message }',
      'what belongs to others is told from what does not exist by nothing: GET /api/accounts/{accountId}/projects/{projectId}, in an account of one’s own neither',
    ],
  ]),
  ...among(REFUSALS, [
    [
      'no answer is kept on its way',
      "c.header('Cache-Control', 'no-store');",
      '',
      'POST /api/accounts is refused without a session',
    ],
  ]),
  ...among(AUDIT, [
    [
      'the audit is for owners',
      'allFulfilled([requireOwner(asked.store), countRead(asked.store)])',
      'countRead(asked.store)',
      'the audit of an account is for its owners',
    ],
    [
      'a look at the audit counts as a read',
      'requireOwner(asked.store), countRead(asked.store)',
      'requireOwner(asked.store)',
      'reads of the audit count as reads of a person',
    ],
  ]),
  ...among('test/portal/usage.test.ts', [
    [
      'a look at usage counts as a read',
      'countRead(asked.store), readProject(',
      'Promise.resolve(), readProject(',
      'the usage of a project is for the members of its account, and counts as a read: who reads too often makes nobody sum',
    ],
  ]),
  ...among(SIGN_IN, [
    [
      'sign-ins of one person at once are no failure of the portal',
      "cause instanceof StoreBusyError && cause.met === 'conflict'",
      'false',
      'a sign-in that only other sign-ins of the same person keep from its end is refused, and pages nobody',
    ],
  ]),
  ...among('test/portal/read-units.test.ts', [
    [
      'an account that is closed costs no closed project',
      'if (closedAt === undefined) yield',
      'if (closedAt !== null) yield',
      'a request of the portal makes the database read no more than its line',
    ],
    [
      'for who is not in an account nothing of it is read',
      "if (!membership) throw new PortalError('NOT_FOUND');",
      `if (!membership) {
        const project = readProject(storeOf(c, dependencies, person.user), pathId(c, 'projectId'));
        await project.catch(() => undefined);
        throw new PortalError('NOT_FOUND');
      }`,
      'a request of the portal makes the database read who asks and no more, where it is of somebody who is not in the account',
      'askedOfAccount',
    ],
    [
      'nothing is read for who has read enough',
      'await allFulfilled([countRead(asked.store), ',
      'await allFulfilled([countRead(asked.store).catch(() => undefined), ',
      'a request of the portal makes the database read nothing that is asked for, where it is a read beyond those of the minute',
    ],
  ]),
  ...among('test/portal/events.test.ts', [
    [
      'a cursor is of its own list',
      'form.test(position) && cursorOf(listOf, position) === cursor ? position',
      'form.test(position) ? position',
      'a list of events refuses a cursor of another project, and a damaged one',
    ],
  ]),
  ...among('test/infra/page-headers.test.ts', [
    [
      'no page shows the portal in a frame',
      `\`connect-src 'self' \${gatewayOrigin}\`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",`,
      `\`connect-src 'self' \${gatewayOrigin}\`,
    "form-action 'self'",
    "base-uri 'none'",`,
      'a page of the portal is in no frame, runs its own scripts alone, and asks its own origin and the gateway alone',
    ],
    [
      'a page runs its own scripts alone',
      `"script-src 'self'",`,
      `"script-src 'self' 'unsafe-inline'",`,
      'a page of the portal is in no frame, runs its own scripts alone, and asks its own origin and the gateway alone',
    ],
  ]),
];
