/** Addresses of the pages. With `:accountId` for an id, and the like, it is the pattern of the router. */
export const pages = {
  home: '/',
  welcome: '/welcome',
  profile: '/profile',
  account: (accountId: string) => `/accounts/${accountId}`,
  keys: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/keys`,
  key: (accountId: string, projectId: string, keyId: string) =>
    `/accounts/${accountId}/projects/${projectId}/keys/${keyId}`,
  requests: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/requests`,
  keyRequests: (accountId: string, projectId: string, keyId: string) =>
    `/accounts/${accountId}/projects/${projectId}/requests?key=${keyId}`,
  request: (accountId: string, projectId: string, { requestId }: { requestId: string }) =>
    `/accounts/${accountId}/projects/${projectId}/requests?request=${requestId}`,
  named: (accountId: string, projectId: string, clientRequestId: string) =>
    `/accounts/${accountId}/projects/${projectId}/requests?${new URLSearchParams({ range: '30d', client: clientRequestId }).toString()}`,
  usage: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/usage`,
  project: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/settings`,
  team: (accountId: string) => `/accounts/${accountId}/team`,
  audit: (accountId: string) => `/accounts/${accountId}/audit`,
  settings: (accountId: string) => `/accounts/${accountId}/settings`,
  mails: (accountId: string) => `/accounts/${accountId}/settings/mails`,
  developers: (accountId: string) => `/accounts/${accountId}/developers`,
  endpoints: (accountId: string) => `/accounts/${accountId}/developers/webhooks`,
  endpoint: (accountId: string, endpointId: string) => `/accounts/${accountId}/developers/webhooks/${endpointId}`,
  tokens: (accountId: string) => `/accounts/${accountId}/developers/tokens`,
  invitation: (accountId: string) => `/invitations/${accountId}`,
  stopMails: '/mails/stop',
  docs: '/docs',
  keysAndLeaks: '/docs/keys',
  hasLeaked: '/docs/keys#a-key-has-leaked',
  reportLeak: '/docs/keys#report-a-key-that-you-found',
  testing: '/docs/testing',
  changes: '/docs/changes',
  errors: '/docs/errors',
  error: (code: string) => `/docs/errors#${code}`,
  limits: '/docs/limits',
  notListed: '/docs/limits#requests-that-are-in-no-list',
  idempotency: '/docs/idempotency',
  webhooks: '/docs/webhooks',
  automation: '/docs/automation',
  reference: '/docs/reference',
} as const;

/** Pattern of all pages of the documentation. */
export const DOCS = '/docs/*?';

/** The parameters of the address after a failed sign-in. */
const SIGN_IN = 'signIn';
const REASON = 'reason';

/** The address after the deletion of a profile. */
const PROFILE = 'profile';
export const afterDeletion = `/?${PROFILE}=deleted`;

/** Whether a profile has just been deleted. */
export const isProfileDeleted = (search: string): boolean => new URLSearchParams(search).get(PROFILE) === 'deleted';

/** Whether the last attempt to sign in failed. */
export const isSignInFailed = (search: string): boolean => new URLSearchParams(search).get(SIGN_IN) === 'failed';

/** Whether there were too many sign-ins in this minute. Another one at once fails, too. */
export const isSignInTooOften = (search: string): boolean => new URLSearchParams(search).get(REASON) === 'tooOften';

/** Address that begins a sign-in and comes back to the page that is open. */
export function signInAddress({ pathname, search }: { readonly pathname: string; readonly search: string }): string {
  const parameters = new URLSearchParams(search);
  parameters.delete(SIGN_IN);
  parameters.delete(REASON);
  parameters.delete(PROFILE);
  const query = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `/api/sign-in?${new URLSearchParams({ returnTo: pathname + query }).toString()}`;
}
