/** The paths of a route with parameters in braces, such as `/api/accounts/{accountId}`. */
export const pathPattern = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
