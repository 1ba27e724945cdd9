/** Addresses of the pages. */
export const pages = {
  home: '/',
  welcome: '/welcome',
  projects: (accountId: string) => `/accounts/${accountId}/projects`,
  keys: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/keys`,
  usage: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/usage`,
  request: (
    accountId: string,
    projectId: string,
    { requestId, occurredAt }: { requestId: string; occurredAt: string },
  ) =>
    `/accounts/${accountId}/projects/${projectId}/usage?${new URLSearchParams({ request: requestId, at: occurredAt }).toString()}`,
  project: (accountId: string, projectId: string) => `/accounts/${accountId}/projects/${projectId}/settings`,
  team: (accountId: string) => `/accounts/${accountId}/team`,
  settings: (accountId: string) => `/accounts/${accountId}/settings`,
} as const;

/** Where a failed sign-in comes back to says so by this parameter of the address. */
const SIGN_IN = 'signIn';

/** Whether the last attempt to sign in failed. */
export const isSignInFailed = (search: string): boolean => new URLSearchParams(search).get(SIGN_IN) === 'failed';

/** Address that begins a sign-in and comes back to the page that is open. */
export function signInAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const parameters = new URLSearchParams(search);
  parameters.delete(SIGN_IN);
  const query = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  return `/api/sign-in?${new URLSearchParams({ returnTo: pathname + query }).toString()}`;
}
