import type { BrokenBy } from './invariant.ts';

const SIGN_IN = 'test/portal/sign-in.test.ts';

/** The portal's function: what it accepts from whom, its cookies, and the person of a sign-in. */
export const PORTAL: BrokenBy = {
  'test/portal/attention.test.ts': {
    'what an account asks for are keys that end though more were made for an hour, which end before them': [
      ['first.length < limit ? await read(entries.slice(limit, MOST_LOOKED_AT)) : [];', '[];'],
    ],
  },
  'test/portal/refusals.test.ts': {
    'POST /api/accounts is refused from a neighbour of the site': [
      ["site === 'same-origin';", "site !== 'cross-site';"],
    ],
    'POST /api/accounts is refused from another origin that begins the same': [
      ["c.req.header('origin') === portalOrigin", "c.req.header('origin')?.startsWith(portalOrigin) === true"],
    ],
    'GET /api/session is refused to a page of another origin (same-site)': [
      ["if (isFromElsewhere(c) && !SIGN_IN.test(c.req.path)) throw new PortalError('CROSS_SITE_REQUEST');", ''],
    ],
    'POST /api/accounts takes JSON of a bounded size, and says what is wrong before it says what there is': [
      ["if (!isJsonMediaType(c.req.header('content-type'))) throw new PortalError('UNSUPPORTED_MEDIA_TYPE');", ''],
    ],
    'a path or method that there is not /api/nothing is not found, whoever asks and however': [
      ["if (matching.length === 0) throw new PortalError('NOT_FOUND');", 'if (matching.length === 0) return next();'],
    ],
    'POST /api/accounts is refused without a session': [["c.header('Cache-Control', 'no-store');", '']],
  },
  [SIGN_IN]: {
    'a sign-in begins a session in a cookie that no other site and no script gets, and leads back': [
      ['httpOnly: true', 'httpOnly: false'],
      ["const PREFIX = '__Host-Http-';", "const PREFIX = '__Host-';"],
      ["sameSite: 'Strict'", "sameSite: 'Lax'", 'SESSION_COOKIE'],
    ],
    'a callback sets nothing and ends nothing an hour after it was begun, and no sooner': [
      ['success && nowMs < output.expiresAtMs', 'success'],
    ],
    'a change of the stage’s secret ends no attempt that is under way while the one of before is still known': [
      ['secrets.some((secret)', 'secrets.slice(0, 1).some((secret)', 'readAttempt'],
    ],
    'a sign-in in one tab does not disturb another’s': [['forgetAttempt(c, state);', '']],
    'a sign-in leads to the provider with state, nonce and PKCE, in cookies of its own': [
      [
        'random(store.randomBytes),\n      random(store.randomBytes),\n      random(store.randomBytes),',
        "random(store.randomBytes),\n      'n'.repeat(43),\n      random(store.randomBytes),",
      ],
    ],
    'a sign-in that a page of another origin begins (cross-site) leads to the page it is for, and sets and ends nothing':
      [['if (isFromElsewhere(c)) return c.redirect(returnTo, 303);', '']],
    'a path to come back to is the portal’s own, whatever was asked for': [["pathname.startsWith('//') || ", '']],
    'a callback sets nothing and ends nothing with an ID token that someone changed on its way': [
      ['openid.enableNonRepudiationChecks,', ''],
    ],
    'a sign-in that only other sign-ins of the same person keep from its end is refused, and pages nobody': [
      ["cause instanceof StoreBusyError && cause.met === 'conflict'", 'false'],
    ],
  },
  'test/portal/sessions.test.ts': {
    'a session costs no call where its token was made up, or is of another person': [
      ['hasSessionTag(token, secrets)', 'true'],
      ['`session ${userId}.${random}`', 'random'],
    ],
    'a session from before tokens had tags is taken until a moment that is set, and no longer': [
      ["c.get('state').receivedAtMs < untaggedUntilMs", 'untaggedUntilMs > 0'],
    ],
  },
  'test/portal/provider.test.ts': {
    'a callback signs nobody in whose attempt the portal has not made: nobody is asked, and nobody is paged': [
      ['if (!isOurs) return undefined;', ''],
      ['${LABEL}\\n${state}\\n${text}', '${LABEL}\\n${text}'],
    ],
    'the tokens of another authorization request than the portal’s sign nobody in, and page nobody with another nonce':
      [["claim === 'nonce' || lacksNonce || lacksIdToken", 'lacksNonce || lacksIdToken']],
    'what the token endpoint refuses as invalid_client is logged as that, for the runbook, and pages': [
      ['OF_THE_CODE.has(code) ? new', 'OAUTH_CODES.has(code) ? new'],
    ],
    'a callback signs nobody in without a code, and pages nobody: who made it up is not known, and the provider is not asked':
      [['exchange.isAsked ? failedExchange(error) : refusedCallback(error)', 'failedExchange(error)']],
    'an ID token signs in whose address is verified in text, and shows nobody’s invitations': [
      ['email_verified === true)', 'Boolean(email_verified))'],
    ],
    'an ID token signs in that says nothing of the address, and shows nobody’s invitations': [
      ['email_verified === undefined ? trustEmail', 'email_verified === undefined ? true'],
    ],
  },
  'test/portal/client-secret.test.ts': {
    'a user pool of Cognito signs in by a token that it has signed, and by no other': [
      ['openid.enableNonRepudiationChecks(known);', ''],
    ],
    'the client secret that was changed is found out by the sign-in that the provider refuses, which then succeeds': [
      ['isRefused ? await clientSecret.renewed() : exchange.clientSecret', 'exchange.clientSecret'],
    ],
  },
  'test/portal/enumeration.test.ts': {
    'nothing distinguishes what belongs to others from what does not exist: GET /api/accounts/{accountId}/members, neither by the answer nor by the calls that it takes':
      [["if (!membership) throw new PortalError('NOT_FOUND');", '', 'askedOfAccount']],
    'nothing distinguishes what belongs to others from what does not exist: GET /api/accounts/{accountId}/projects/{projectId}, in an account of one’s own neither':
      [['error.publicDetail === undefined ? {} : { detail: error.publicDetail }', '{ detail: error.message }']],
  },
  'test/portal/audit.test.ts': {
    'the audit of an account is for its owners': [
      ['allFulfilled([requireOwner(asked.store), countRead(asked.store)])', 'countRead(asked.store)'],
    ],
    'reads of the audit count as reads of a person': [
      ['requireOwner(asked.store), countRead(asked.store)', 'requireOwner(asked.store)'],
    ],
  },
  'test/portal/usage.test.ts': {
    'the usage of a project is for the members of its account, and counts as a read: who reads too often makes nobody sum':
      [['countRead(asked.store), readProject(', 'Promise.resolve(), readProject(']],
  },
  'test/portal/read-units.test.ts': {
    'a request of the portal makes the database read no more than its line': [
      ['if (closedAt === undefined) yield', 'if (closedAt !== null) yield'],
    ],
    'a request of the portal makes the database read who asks and no more, where it is of somebody who is not in the account':
      [
        [
          "if (!membership) throw new PortalError('NOT_FOUND');",
          `if (!membership) {
        const project = readProject(storeOf(c, dependencies, person.user), pathId(c, 'projectId'));
        await project.catch(() => undefined);
        throw new PortalError('NOT_FOUND');
      }`,
          'askedOfAccount',
        ],
      ],
    'a request of the portal makes the database read nothing that is asked for, where it is a read beyond those of the minute':
      [
        [
          'await allFulfilled([countRead(asked.store), ',
          'await allFulfilled([countRead(asked.store).catch(() => undefined), ',
        ],
      ],
  },
  'test/portal/events.test.ts': {
    'a list of events refuses a cursor of another project, and a damaged one': [
      ['form.test(position) && cursorOf(listOf, position) === cursor ? position', 'form.test(position) ? position'],
    ],
  },
  'test/infra/page-headers.test.ts': {
    'a page of the portal is in no frame, runs its own scripts alone, and asks its own origin and the gateway alone': [
      [
        `\`connect-src 'self' \${gatewayOrigin}\`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",`,
        `\`connect-src 'self' \${gatewayOrigin}\`,
    "form-action 'self'",
    "base-uri 'none'",`,
      ],
      [`"script-src 'self'",`, `"script-src 'self' 'unsafe-inline'",`],
    ],
  },
};
