import { openapi, resolve, type Header, type ResponseObject } from '../../portal/build/openapi.ts';

/** The statuses for unknown paths and methods, which OpenAPI cannot express. */
const UNLISTED: Readonly<Record<string, number>> = { NotFound: 404, MethodNotAllowed: 405 };

/** The header that a response documents with this name. */
export const headerOf = ({ headers }: ResponseObject, name: string): Header | undefined =>
  headers[name] && resolve<Header>(headers[name]);

/** Every operation, with its method in upper case. */
export const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
);

/** The operation with an id. Throws if there is none. */
export function operationOf(operationId: string): (typeof operations)[number] {
  const found = operations.find((operation) => operation.operationId === operationId);
  if (!found) throw new Error(`openapi.yaml has no operation ${operationId}`);
  return found;
}

/** Every response by name, with the status under which it is documented. */
export const responses = Object.entries(openapi.components.responses).map(([name, response]) => {
  const status = operations
    .flatMap((operation) => Object.entries(operation.responses))
    .find(([, reference]) => resolve<ResponseObject>(reference) === response)?.[0];
  return { name, status: Number(status ?? UNLISTED[name]), ...response };
});

/** Whether a response always, sometimes or never has a header. */
export function presence(response: ResponseObject, name: string): 'always' | 'sometimes' | 'never' {
  const header = headerOf(response, name);
  return header ? (header.required ? 'always' : 'sometimes') : 'never';
}
