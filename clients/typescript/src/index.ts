export { SandboxGateway, type Result, type SandboxGatewayOptions } from './client.ts';
export {
  APIConnectionError,
  APITimeoutError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  PermissionDeniedError,
  QuotaExceededError,
  RateLimitError,
  SandboxGatewayError,
  type ClientErrorCode,
  type Code,
} from './errors.ts';
export type { Call, CallOptions, WithResponse } from './execute.ts';
export type { Limit } from './limits.ts';
export type { ClientOptions } from './settings.ts';
export type * from './types.ts';
